declare module '*/icodec/dist/webp-dec.js' {
  /** Makes an instance of the library with separate memory. */
  export default function create<Library>(options: { readonly wasmBinary: Uint8Array }): Promise<Library>
}

declare module '*/webp-dec.wasm' {
  const path: string
  export default path
}
