/** Whether what is asked for at this path speaks the messages dialect: its errors and headers are then that dialect's. */
export function speaksMessages(pathname: string): boolean {
  return /^(\/openai)?\/v1\/messages(\/|$)/.test(pathname)
}
