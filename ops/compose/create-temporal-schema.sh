#!/bin/sh
# Creates or upgrades the tables of Temporal; does nothing when they are up to date.
set -eu
SQL_PASSWORD=$(cat /run/secrets/temporal_password)
export SQL_PASSWORD
for part in temporal:temporal temporal_visibility:visibility; do
  tool="temporal-sql-tool --plugin postgres12 --endpoint postgres --port 5432 --user temporal --database ${part%:*}"
  $tool setup-schema --version 0.0
  $tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/${part#*:}/versioned"
done
