#!/bin/sh
# Creates the namespace. Retention: how long support sees a finished process.
set -eu
# The server opens its port before it serves.
attempts=60
until temporal operator cluster health >/dev/null 2>&1; do
  attempts=$((attempts - 1))
  [ "$attempts" -gt 0 ] || { echo "Temporal at $TEMPORAL_ADDRESS does not serve" >&2 && exit 1; }
  sleep 2
done
temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention 720h
