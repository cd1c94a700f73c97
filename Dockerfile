# syntax=docker/dockerfile:1
# The server in a container. What its sandbox needs of the container is in docs/operations.md, "In a container".

FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
# The caches stay on the machine that builds, so the binary is copied out of one.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --locked --profile dist --package selfmade \
    && install -D target/dist/selfmade /out/selfmade

FROM debian:bookworm-slim
# Functions run on the image's Python; git and compilers are left out on purpose, because packages come as wheels.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin selfmade \
    && install --directory --owner=selfmade --group=selfmade --mode=0700 /data
COPY --from=build /out/selfmade /usr/local/bin/selfmade
USER selfmade
ENV SELFMADE_HOME=/data \
    SELFMADE_LISTEN=0.0.0.0:7333 \
    SELFMADE_LOG=info \
    SELFMADE_LOG_FORMAT=json
VOLUME /data
EXPOSE 7333
# A server that is asked to stop waits for its runs; `docker stop` kills after ten seconds unless told otherwise.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=12s --start-period=30s --retries=3 CMD ["selfmade", "status"]
ENTRYPOINT ["selfmade"]
CMD ["serve"]
