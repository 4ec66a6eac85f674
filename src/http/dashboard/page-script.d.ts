// The server reads the script as text.
declare const text: string
export default text
