# autoheal in a container. docs/containers.md says how its sandbox works there, and what has to be allowed for it.
#
#   docker build --tag autoheal .

# Images of one's own: --build-arg BUILD_IMAGE=... (Rust and a C compiler), --build-arg RUN_IMAGE=... (Debian with Node and npm).
ARG BUILD_IMAGE=rust:1.95-trixie
ARG RUN_IMAGE=node:22-trixie-slim

FROM ${RUN_IMAGE} AS page
WORKDIR /source
COPY openapi.json ./
COPY dashboard dashboard
RUN cd dashboard && npm ci --ignore-scripts --no-audit --no-fund && npm run build

FROM ${BUILD_IMAGE} AS build
WORKDIR /source
COPY . .
COPY --from=page /source/dashboard/dist dashboard/dist
RUN cargo build --locked --release --package autoheal-cli --bin autoheal

FROM ${RUN_IMAGE}
# git and bubblewrap are what autoheal starts; Python and Node are what repositories are tested with inside of bubblewrap.
# tini is the first process: it takes what commands leave behind.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    bubblewrap ca-certificates git python3 python3-pip python3-pytest python3-venv tini \
  && rm -rf /var/lib/apt/lists/*
# The linter of most Python projects, of which autoheal also learns where files do not parse.
RUN python3 -m pip install --no-cache-dir --break-system-packages ruff==0.14.5
RUN useradd --uid 10001 --create-home autoheal \
  && install --directory --owner=autoheal --group=autoheal --mode=0700 /var/lib/autoheal
COPY --from=build /source/target/release/autoheal /usr/local/bin/autoheal
USER autoheal
WORKDIR /home/autoheal
ENV AUTOHEAL_DATA_DIR=/var/lib/autoheal
VOLUME /var/lib/autoheal
ENTRYPOINT ["tini", "--", "autoheal"]
CMD ["--help"]
