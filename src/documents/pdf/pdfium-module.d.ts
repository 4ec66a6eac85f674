declare module '*/pdfium.wasm' {
  const path: string
  export default path
}
