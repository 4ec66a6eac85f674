declare module '*.svg' {
  /** The file's address. */
  const address: string
  export default address
}
