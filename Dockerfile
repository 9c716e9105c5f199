# One image for the API and the workers: the command of a container says which of them it runs.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
# sharp's documentation recommends jemalloc with glibc, whose own allocator keeps what was freed.
RUN apt-get update && apt-get install -y --no-install-recommends libjemalloc2 && cp /usr/lib/*/libjemalloc.so.2 /usr/local/lib/
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Production workers load the bundle of the workflows, and the API serves the built desk. `sbom.cdx.json` lists what `npm prune` keeps: `npm sbom` fails on a package.json that
# names the removed packages. What only compilers and other platforms need goes. Of the reference page's library only the built scripts stay.
RUN node worker/bundle.ts && node src/tools/web/build.ts \
  && mkdir dist/reference && (cd node_modules/@scalar/api-reference/dist/browser && cp --parents standalone.esm.js chunks/*.js /app/dist/reference) \
  && npm prune --omit=dev && npm pkg delete devDependencies && npm sbom --sbom-format cyclonedx > sbom.cdx.json \
  && rm -rf node_modules/@temporalio/core-bridge/sdk-core \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} + \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.bare' \
    -o -iname 'readme*.md' -o -iname 'changelog*.md' \) -delete

# glibc, libstdc++, certificates, time zones; no shell and no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 LD_PRELOAD=/usr/local/lib/libjemalloc.so.2
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /usr/local/lib/libjemalloc.so.2 /usr/local/lib/
# The files belong to root: the service cannot change its own code.
COPY --from=build /app /app
USER nonroot
EXPOSE 8080 9464
# API and worker answer on METRICS_PORT. A job that ends has none.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/api.ts"]
