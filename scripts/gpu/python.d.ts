/** A Python program as text. */
declare module '*.py' {
  const program: string
  export default program
}
