#!/bin/sh
# Installs what inferd is built with, builds ./inferd, and on request starts or tests it. Run with --help.
# Everything is in functions, so that a half-downloaded script does nothing.
set -eu

usage() {
  cat <<'TEXT'
Usage: ./install.sh [--start | --test] [--prefix DIR] [--cuda | --cuda-release]

  (nothing)      install what is missing and build ./inferd
  --start        also start the server with the starter model, in the background, and print how to use it
  --test         also run every check: format, lint, types, tests, the pages in Chromium, the executable's smoke test
  --prefix DIR   also install the executable to DIR/bin/inferd
  --cuda         build with NVIDIA support for this machine's cards (./inferd-cuda; fetches 400 MB more); where nvcc
                 is missing or no card is seen, with the shipped code
  --cuda-release build with NVIDIA support for all cards from Turing on (./inferd-cuda-release; needs nvcc)
  --help         this text

Environment: INFERD_DATA, INFERD_HOST, INFERD_PORT and the other settings of `inferd serve` apply to --start.
TEXT
}

main() {
  mode=build
  prefix=
  executable=inferd
  while [ $# -gt 0 ]; do
    case $1 in
      --start) mode=start ;;
      --test) mode='test' ;;
      --cuda) executable=inferd-cuda ;;
      --cuda-release) executable=inferd-cuda-release ;;
      --prefix)
        [ $# -ge 2 ] || wrong_usage "--prefix needs a folder"
        prefix=$2
        shift
        ;;
      --prefix=*) prefix=${1#--prefix=} ;;
      -h | --help)
        usage
        exit 0
        ;;
      *) wrong_usage "unknown option $1" ;;
    esac
    shift
  done

  # A relative folder is meant from where the user stands.
  case $prefix in
    '' | /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  cd "$(dirname "$0")" || fail "cannot enter the folder of install.sh" "run it as ./install.sh from the checkout"
  root=$PWD
  [ -f package.json ] || fail "$root is not a checkout of inferd" "run ./install.sh from the checkout"
  toolchain=$root/build/toolchain
  mkdir -p "$toolchain" || fail "$toolchain cannot be created" "make $root writable"
  # Some service managers and containers set no home; npm, Bun and the data folder need one.
  if [ -z "${HOME:-}" ]; then
    HOME=$(getent passwd "$(id -u)" | cut -d: -f6) || HOME=
    [ -n "$HOME" ] || HOME=$toolchain
    export HOME
  fi

  # Fetched packages are kept with everything else of this checkout, not in the user's home.
  : "${BUN_INSTALL_CACHE_DIR:=$root/build/bun-cache}"
  export BUN_INSTALL_CACHE_DIR

  check_platform
  install_system_packages
  install_bun
  install_dependencies
  case $mode in
    build) build_executable ;;
    start)
      build_executable
      start_server
      ;;
    test) run_checks ;;
  esac
  [ -z "$prefix" ] || install_executable
  if [ "$mode" = build ] && [ -z "$prefix" ]; then
    say "built $root/$executable"
    say "next: ./install.sh --start, or ./$executable serve"
  fi
}

say() {
  printf '%s\n' "$*" >&2
}

# $1: what failed, $2: what to do next
fail() {
  printf 'install.sh: %s\nNext step: %s\n' "$1" "$2" >&2
  exit 1
}

wrong_usage() {
  printf 'install.sh: %s\n' "$1" >&2
  usage >&2
  exit 2
}

has() {
  command -v "$1" >/dev/null 2>&1
}

check_platform() {
  [ "$(uname -s)" = Linux ] || fail "inferd runs on Linux; this is $(uname -s)" "use a Linux machine, a container or WSL"
  case $(uname -m) in
    x86_64 | amd64) ;;
    *) fail "this version has libraries for x86_64 only; this is $(uname -m)" "use an x86_64 machine" ;;
  esac
}

# ---- system packages: g++ and git build the native addon; chromium is for tests of the pages; most of them take the one without windows, which computes less; ffmpeg is for audio and may be absent ----

install_system_packages() {
  missing=
  has g++ || missing="$missing g++"
  has git || missing="$missing git"
  if ! bun_is_here && ! has npm; then
    has curl || missing="$missing curl"
    has unzip || missing="$missing unzip"
    has bash || missing="$missing bash"
  fi
  if [ "$mode" = 'test' ]; then has chromium || missing="$missing chromium"; fi
  has npm || [ -e /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"
  if [ -n "$missing" ]; then
    if [ "$(id -u)" -ne 0 ] || ! has apt-get; then
      fail "these programs are missing:$missing" "as root: apt-get install -y$missing; then run ./install.sh again"
    fi
    say "installing system packages:$missing"
    # shellcheck disable=SC2086 # a list of words
    apt_install $missing || fail "apt-get install$missing failed (see above)" "install these packages, then run ./install.sh again"
  fi
  has ffmpeg || install_optional ffmpeg "audio formats other than wav will need it"
  [ "$mode" != 'test' ] || has chromium-headless-shell ||
    install_optional chromium-headless-shell "tests of the pages will take a third longer"
}

# $1: a package that may be absent, $2: the loss without it. It is asked for once, not at every run.
install_optional() {
  if [ "$(id -u)" -ne 0 ] || ! has apt-get || [ -e "$toolchain/no-$1" ]; then return 0; fi
  say "installing $1 (optional)"
  apt_install "$1" >"$toolchain/$1.log" 2>&1 || {
    say "$1 could not be installed; $2"
    : >"$toolchain/no-$1"
  }
}

# Package lists are fetched only when the installation does not work without.
apt_install() {
  DEBIAN_FRONTEND=noninteractive
  export DEBIAN_FRONTEND
  apt-get install -y --no-install-recommends "$@" </dev/null >"$toolchain/apt.log" 2>&1 && return 0
  apt-get update </dev/null >"$toolchain/apt.log" 2>&1 || {
    cat "$toolchain/apt.log" >&2
    return 1
  }
  apt-get install -y --no-install-recommends "$@" </dev/null >"$toolchain/apt.log" 2>&1 || {
    cat "$toolchain/apt.log" >&2
    return 1
  }
}

# ---- Bun, at the version that package.json pins, in a folder of this checkout ----

pinned_bun() {
  sed -n 's/.*"packageManager": *"bun@\([0-9.]*\)".*/\1/p' package.json
}

# Sets BUN when the pinned version is installed, on the PATH or by an earlier run.
bun_is_here() {
  version=$(pinned_bun)
  [ -n "$version" ] || fail "package.json pins no Bun version" "restore its \"packageManager\" line"
  for candidate in "$toolchain/bun-$version/bin/bun" "$(command -v bun 2>/dev/null || true)"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ] && [ "$("$candidate" --version 2>/dev/null)" = "$version" ]; then
      BUN=$candidate
      return 0
    fi
  done
  return 1
}

install_bun() {
  if ! bun_is_here; then
    say "installing Bun $version"
    if has npm; then
      bun_from_npm || fail "Bun $version could not be fetched with npm (see above)" "check the network and npm's registry setting, then run ./install.sh again"
    else
      bun_from_installer || fail "Bun $version could not be fetched with its own installer (see above)" "check the network, or install npm, then run ./install.sh again"
    fi
    bun_is_here || fail "the fetched Bun does not run on this machine" "run $toolchain/bun-$version/bin/bun --version to see why"
  fi
  # Scripts that call bun again get this one.
  PATH=$(dirname "$BUN"):$PATH
  export PATH
}

bun_from_npm() {
  package=bun-linux-x64
  # Bun's usual build needs AVX2.
  grep -q -w avx2 /proc/cpuinfo || package=bun-linux-x64-baseline
  unpack=$toolchain/bun.$$
  mkdir -p "$unpack"
  npm pack --silent "@oven/$package@$version" --pack-destination "$unpack" --cache "$toolchain/npm-cache" \
    </dev/null >/dev/null || return 1
  tar -xzf "$unpack"/*.tgz -C "$unpack" || return 1
  chmod +x "$unpack/package/bin/bun"
  rm -rf "$toolchain/bun-$version"
  mv "$unpack/package" "$toolchain/bun-$version" && rm -rf "$unpack" "$toolchain/npm-cache"
}

# SHELL keeps the installer from editing the user's shell start-up files.
bun_from_installer() {
  curl -fsSL --retry 3 -o "$toolchain/bun-installer" https://bun.sh/install || return 1
  SHELL=/bin/sh BUN_INSTALL=$toolchain/bun-$version bash "$toolchain/bun-installer" "bun-v$version" </dev/null >&2
}

# ---- packages and the executable ----

install_dependencies() {
  stamp=node_modules/.installed
  if [ -e "$stamp" ] && [ -z "$(find package.json bun.lock -newer "$stamp")" ]; then return 0; fi
  say "installing packages"
  "$BUN" install --frozen-lockfile </dev/null >"$toolchain/packages.log" 2>&1 || {
    cat "$toolchain/packages.log" >&2
    fail "the packages could not be installed (see above)" "check the network, then run ./install.sh again"
  }
  : >"$stamp"
}

build_executable() {
  stamp=build/$executable.stamp
  library=
  # First: a card or a toolkit may have come since the last build. A library that is built already takes a second.
  [ "$executable" = inferd ] || build_cuda_library
  # Folders are looked at too: a removed file changes its folder.
  if [ -x "$executable" ] && [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$library" ] && [ -z "$(find src native models scripts ui package.json bun.lock ${library:+"$library"} -newer "$stamp" 2>/dev/null | head -n 1)" ]; then
    return 0
  fi
  say "building ./$executable (the first time takes a few minutes)"
  printf '%s' "$library" >"$stamp.new"
  set --
  [ -z "$library" ] || set -- --cuda --cuda-library "$library" --output "$executable"
  "$BUN" scripts/build.ts "$@" </dev/null >&2 || fail "the build failed (see above)" "fix what it names, then run ./install.sh again"
  mv "$stamp.new" "$stamp"
}

# Sets library.
build_cuda_library() {
  if [ "$executable" = inferd-cuda-release ]; then
    say "compiling for every card: half an hour on 16 cores, hours on few; about 180 MB of library, an executable of about 540 MB"
    library=$("$BUN" scripts/build-cuda.ts </dev/null) || library=
  else
    ! has nvcc && ! [ -e /usr/local/cuda/bin/nvcc ] || ! has nvidia-smi || say "compiling for the cards of this machine: 3 to 10 minutes on 8 cores or more"
    library=$("$BUN" scripts/build-cuda.ts --archs cards </dev/null) || library=
  fi
  [ -n "$library" ] || fail "the CUDA backend could not be built (see above)" "fix what it names, then run ./install.sh again: it goes on where it stopped"
}

install_executable() {
  # Renamed into place: a running server keeps the file it started from.
  if ! { mkdir -p "$prefix/bin" && cp "$executable" "$prefix/bin/.inferd.$$" && mv -f "$prefix/bin/.inferd.$$" "$prefix/bin/inferd"; }; then
    fail "$prefix/bin/inferd could not be written" "choose a folder you may write: ./install.sh --prefix \"\$HOME/.local\""
  fi
  say "installed $prefix/bin/inferd"
}

# ---- --start ----

start_server() {
  data=$("./$executable" config --json </dev/null | sed -n 's/.*"data":{"value":"\([^"]*\)".*/\1/p') || data=
  [ -n "$data" ] || fail "the settings are wrong (see above)" "correct the INFERD_ variable it names, then run ./install.sh --start again"
  log=$data/server.log
  if ! { mkdir -p "$data" && chmod 700 "$data"; }; then
    fail "$data cannot be created" "set INFERD_DATA to a folder you may write"
  fi

  if server_listens; then
    if [ "$(readlink "/proc/$pid/exe")" = "$root/$executable" ]; then
      say "inferd is already running"
      print_use
      return 0
    fi
    say "restarting the server with the new build"
    kill "$pid" || fail "the running server (process $pid) could not be stopped" "stop it, then run ./install.sh --start again"
    wait_until 30 server_is_gone || fail "the running server (process $pid) does not stop" "stop it with: kill -9 $pid"
  fi

  key=
  if [ ! -e "$data/inferd.db" ]; then
    # Made before the first start, so that it is printed here and stands in no file.
    key=$("./$executable" keys create --name install --data "$data" --json </dev/null | field key) || key=
    [ -n "$key" ] || fail "no API key could be made in $data" "run ./$executable keys create --name install to see why"
  fi

  set -- "./$executable" serve
  has setsid && set -- setsid "$@"
  mask=$(umask)
  umask 077 # the log, as everything in the data folder, is its owner's alone
  nohup "$@" </dev/null >>"$log" 2>&1 &
  pid=$!
  umask "$mask"
  if ! wait_until 20 server_listens; then
    tail -n 5 "$log" >&2
    fail "the server did not start (see above)" "correct what it names; the whole log is $log"
  fi
  print_use
}

# Field $1 of one line of JSON, text or number.
field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# Sets pid, url, and local_url: the address for programs of this machine, where no certificate has to be trusted.
server_listens() {
  running=$("./$executable" ps --data "$data" --json </dev/null 2>/dev/null) || [ $? -eq 3 ] || return 1
  case $running in
    *'"running":true'*) ;;
    *)
      # The one that was just started has ended: waiting is useless.
      if [ -n "${pid:-}" ] && server_is_gone; then return 2; fi
      return 1
      ;;
  esac
  running=${running%%\"engines\"*} # engines have process ids of their own
  pid=$(printf '%s\n' "$running" | field pid)
  url=$(printf '%s\n' "$running" | field url)
  local_url=$(printf '%s\n' "$running" | field localUrl)
}

server_is_gone() {
  ! kill -0 "$pid" 2>/dev/null
}

# $1: seconds, then a command; its status 2 means that waiting is useless
wait_until() {
  rounds=$(($1 * 10))
  shift
  while [ "$rounds" -gt 0 ]; do
    status=0
    "$@" || status=$?
    [ "$status" -ne 0 ] || return 0
    [ "$status" -ne 2 ] || return 1
    sleep 0.1
    rounds=$((rounds - 1))
  done
  return 1
}

print_use() {
  cat <<TEXT

inferd is running at $url (process $pid)

Base URL   $url/v1
Dashboard  $url/dashboard
Operator   $local_url/admin; the first time by the link of: $root/$executable admin link --data "$data"
TEXT
  if [ -n "${key:-}" ]; then
    echo "API key    $key   (shown only now)"
  else
    echo "API key    made at the first start; another one: $root/$executable keys create --name NAME --data \"$data\""
    key=YOUR_KEY
  fi
  cat <<TEXT
Log        $log
Stop       kill $pid

Try it:

  curl $local_url/v1/chat/completions \\
    -H "Authorization: Bearer $key" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "inferd/starter-chat", "messages": [{"role": "user", "content": "Hello, who are you?"}]}'

TEXT
}

# ---- --test ----

run_checks() {
  check format "run: bunx biome format --write ." "$BUN" run format
  check lint "run: bunx biome lint --write ." "$BUN" run lint
  check types "fix the errors above" "$BUN" run types
  check native "fix what it names" "$BUN" run native
  check pages "fix what it names" "$BUN" run build:ui
  say "== tests"
  # Tests wait for most of their time: the executable is built beside them, and gives way to them.
  (build_executable) >"$toolchain/build.log" 2>&1 &
  building=$!
  renice -n 10 -p "$building" >/dev/null 2>&1 || true
  report=$toolchain/tests.log
  # The pipe hides the exit status, so it goes through a file.
  { "$BUN" run test 2>&1 </dev/null && echo 0 >"$report.status" || echo $? >"$report.status"; } | tee "$report"
  wait "$building" && built=0 || built=$?
  passed=$(count pass)
  failed=$(count fail)
  if [ "$(cat "$report.status")" -ne 0 ]; then
    say "$passed passed, $failed failed"
    fail "tests failed (see above)" "run one file: bun test src/PATH.test.ts"
  fi
  say "== build"
  cat "$toolchain/build.log" >&2
  [ "$built" -eq 0 ] || exit 1 # the log says why
  check flows "run one file: bun test --timeout 60000 ui/flows/PAGE.test.ts" env "INFERD_EXECUTABLE=$root/$executable" "$BUN" run flows
  check smoke "run: bun run smoke" "$BUN" run smoke
  echo "$passed passed, $failed failed"
}

# $1: name, $2: next step, then the command
check() {
  name=$1
  next=$2
  shift 2
  say "== $name"
  "$@" </dev/null >&2 || fail "$name failed (see above)" "$next, then ./install.sh --test"
}

# bun test ends with lines such as ' 123 pass'.
count() {
  number=$(sed 's/\x1b\[[0-9;]*m//g' "$report" | sed -n "s/^ *\([0-9][0-9]*\) $1\$/\1/p" | tail -n 1)
  echo "${number:-0}"
}

main "$@"
