# SPDX-License-Identifier: Apache-2.0
# Shared by scripts/run and scripts/test: where we are, and the packages that are needed.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)
# ccache shares objects between work trees.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1

build_packages=(git g++ cmake ninja-build pkg-config ccache libnl-3-dev libnl-genl-3-dev libibverbs-dev nlohmann-json3-dev
  libcpp-httplib-dev prometheus-cpp-dev libspdlog-dev libyaml-cpp-dev libcli11-dev zlib1g-dev libsqlite3-dev libssl-dev libarchive-dev)
test_packages=(libgtest-dev libbenchmark-dev clang clang-tidy clang-format libclang-rt-14-dev prometheus
  prometheus-node-exporter python3 python3-jsonschema curl procps)

# Runs a command as root: directly, or with sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs those of the named packages that are missing, and says so. A service that a package brings is not started.
need_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing with apt: ${missing[*]}" >&2
  as_root apt-get -qq update
  as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# Configures (once) and builds a preset: build_preset NAME [cmake --build arguments…]
build_preset() {
  local preset=$1 launcher=()
  shift
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  (cd "$root" && cmake --preset "$preset" "${launcher[@]}" >"$root/build/$preset.configure.log" 2>&1) || {
    cat "$root/build/$preset.configure.log" >&2
    return 1
  }
  cmake --build "$root/build/$preset" -j "$jobs" "$@"
}
