#!/bin/sh
# Creates the secrets and the certificate of docker-compose.yml, each in a file of its own. Keeps existing files.
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
# Containers run as other users and read the single files; only this user enters the folder.
chmod 700 "$folder"
cd "$folder"

random() {
  [ -s "$1" ] || openssl rand -base64 27 | tr '+/' '-_' | tr -d '\n' >"$1"
}
text() {
  [ -s "$1" ] || printf %s "$2" >"$1"
}
for name in postgres_password owner_password service_password temporal_password storage_root_password \
  session_secret encryption_key bank_secret admin_password s3_access_key_id s3_secret_access_key; do
  random "$name"
done
text database_url "postgres://registry_app:$(cat service_password)@postgres:5432/registry"
text migration_database_url "postgres://registry_owner:$(cat owner_password)@postgres:5432/registry"
[ -s tls_key ] || openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 3650 -keyout tls_key \
  -out tls_certificate -subj /CN=localhost -addext subjectAltName=DNS:localhost,DNS:proxy 2>/dev/null
chmod 444 ./*
