# One image for the API and the workers: the command of a container says which of them it runs.
FROM node:24.21-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Production workers load this bundle of the workflows.
RUN node worker/bundle.ts && npm prune --omit=dev

FROM node:24.21-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 8080 9464
CMD ["node", "src/api.ts"]
