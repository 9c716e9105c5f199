# The API and the workers; which of them a container is, its command says.
FROM node:24.21-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Production workers run this bundle and nothing else.
RUN node worker/bundle.ts && npm prune --omit=dev

FROM node:24.21-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production MALLOC_TRIM_THRESHOLD_=131072
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 8080 9464
CMD ["node", "--max-semi-space-size=4", "--no-allocation-site-pretenuring", "src/api.ts"]
