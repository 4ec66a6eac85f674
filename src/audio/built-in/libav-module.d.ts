declare module '*.wasm.mjs' {
  /** Makes an instance of the library with a memory of its own. `wasmurl` is the path of its WebAssembly. */
  export default function create<Library>(options: { readonly wasmurl: string }): Promise<Library>
}

declare module '*.wasm.wasm' {
  const path: string
  export default path
}
