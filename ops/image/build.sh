#!/usr/bin/env bash
# Builds the image of this checkout without a container daemon, as root with buildah; keeps layers, so a second build is short.
#   ops/image/build.sh [NAME]        NAME: localhost/federation-registry by default
# Base images that cannot be pulled are replaced by root file systems of the same content: packages of Debian, and Node from npm. Such an
# image is for tests; a release is built from the bases that the Dockerfile pins.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
name=${1:-localhost/federation-registry}
# Neither overlay mounts nor cgroups are needed.
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}

for program in buildah mmdebstrap; do
  command -v $program >/dev/null || { echo "$program is missing: apt-get install buildah mmdebstrap" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mapfile -t bases < <(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$project/Dockerfile")
suite=$(sed -n 's/^node:[0-9.]*-\([a-z]*\)-.*/\1/p' <<<"${bases[0]}")
mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ' || true)

# unpack TARGET PACKAGES... : a root file system of Debian packages. Scripts of the packages run only for the one that builds.
unpack() {
  local target=$1 variant=$2 packages=$3
  mmdebstrap --quiet --variant="$variant" --include="$packages" "$suite" "$target" ${mirror:+"deb $mirror $suite main"}
}

# What the build needs of this machine: proxies of npm and apt, and an authority of its own. None of it reaches the last stage.
replace_build_base() {
  local version root=$work/build
  version=$(sed -n 's/^node:\([0-9.]*\)-.*/\1/p' <<<"$1")
  unpack "$root" minbase ca-certificates
  npm install --silent --no-audit --no-fund --prefix "$work/node" "node@$version" npm@11 >/dev/null
  cp "$work/node/node_modules/node/bin/node" "$root/usr/local/bin/"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -r "$work/node/node_modules/npm" "$root/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  [ ! -s ~/.npmrc ] || cp ~/.npmrc "$root/root/.npmrc"
  cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$root/usr/local/share/authorities.pem"
}

replace_run_base() {
  local root=$work/run
  unpack "$root" extract base-files,ca-certificates,libc6,libgcc-s1,libssl3,libstdc++6,netbase,tzdata
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"
  # A script of the package would make it.
  cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
}

# commit ROOT IMAGE [VARIABLE]
commit() {
  local container
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$1" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${3:+--env "$3"} "$container"
  buildah commit --quiet --rm "$container" "$2" >/dev/null
}

contexts=()
for index in 0 1; do
  base=${bases[index]}
  if buildah inspect --type image "$base" >/dev/null 2>&1 || timeout 120 buildah pull --quiet "$base" >/dev/null 2>&1; then continue; fi
  # The same packages give the same image, so that its layers and those above it are kept.
  stand_in=localhost/stand-in-$(sha256sum <<<"$base $(cat "$0")" | cut -c1-16)
  if ! buildah inspect --type image "$stand_in" >/dev/null 2>&1; then
    echo "$base cannot be pulled; making a stand-in of Debian packages"
    if [ "$index" = 0 ]; then
      replace_build_base "$base"
      commit "$work/build" "$stand_in" NODE_EXTRA_CA_CERTS=/usr/local/share/authorities.pem
    else
      replace_run_base
      commit "$work/run" "$stand_in"
    fi
  fi
  contexts+=(--build-context "$base=docker-image://$stand_in")
done
buildah build --layers --pull=never ${contexts[@]+"${contexts[@]}"} --tag "$name" --file "$project/Dockerfile" "$project"
