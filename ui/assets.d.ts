declare module '*.html' {
  /** Bundle that Bun serves for the page. */
  const document: Bun.HTMLBundle
  export default document
}

declare module '*.svg' {
  /** Address of the file. */
  const address: string
  export default address
}
