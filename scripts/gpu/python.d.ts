/** Text of a Python program. */
declare module '*.py' {
  const program: string
  export default program
}
