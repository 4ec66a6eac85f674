declare module '*.wasm.mjs' {
  interface Options {
    /** Path of the library's WebAssembly. */
    readonly wasmurl: string
    readonly print?: (line: string) => void
    readonly printErr?: (line: string) => void
  }
  /** Makes an instance of the library with separate memory. */
  export default function create<Library>(options: Options): Promise<Library>
}

declare module '*.wasm.wasm' {
  const path: string
  export default path
}
