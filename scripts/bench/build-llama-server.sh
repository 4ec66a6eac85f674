#!/bin/sh
# Builds llama-server for the benchmark: from the llama.cpp source that node-llama-cpp carries, linked with the very
# libraries that node-llama-cpp ships, so that both sides compute with the same code. Prints the binary's path.
# Needs git, cmake, make and g++; takes some minutes the first time.
set -eu

main() {
  root=$(cd "$(dirname "$0")/../.." && pwd)
  work=${1:-$root/build/llama-server}
  libraries=$root/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
  mkdir -p "$work"
  [ -d "$work/source" ] || git -c advice.detachedHead=false clone --quiet "$root/node_modules/node-llama-cpp/llama/gitRelease.bundle" "$work/source"
  cmake -S "$work/source" -B "$work/objects" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_OPENSSL=OFF >&2
  cmake --build "$work/objects" --target llama-server --parallel "$(nproc)" >&2

  # The backends are looked for beside the executable.
  ln -sf "$libraries"/*.so "$work/"
  cd "$work/objects/tools/server"
  g++ -O3 CMakeFiles/llama-server.dir/main.cpp.o -o "$work/llama-server" \
    libllama-server-impl.a libserver-context.a ../../common/libllama-common.a ../../common/libllama-common-base.a \
    ../mtmd/libmtmd.a -L"$work" -l:libllama.v0.5.0.so -l:libggml.v0.5.0.so -l:libggml-base.so -ldl -lm -lpthread \
    ../../vendor/hash/libvendor-hash.a ../ui/libllama-ui.a ../../vendor/cpp-httplib/libcpp-httplib.a \
    -Wl,-rpath,"\$ORIGIN"
  echo "$work/llama-server"
}

main "$@"
