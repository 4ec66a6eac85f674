declare module '*.html' {
  /** What Bun serves for it. */
  const document: Bun.HTMLBundle
  export default document
}

declare module '*.svg' {
  /** The file's address. */
  const address: string
  export default address
}
