#!/bin/sh
# Run once by the container of PostgreSQL, when its data folder is empty.
set -eu
secret() { cat "/run/secrets/$1"; }
psql -v ON_ERROR_STOP=1 -U postgres -v owner_password="$(secret owner_password)" -v service_password="$(secret service_password)" \
  -v temporal_password="$(secret temporal_password)" -f /etc/registry/roles.sql
