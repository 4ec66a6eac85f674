/** Hands a text to the browser as a file to be saved. */
export function saveText(name: string, text: string, type = 'text/plain'): void {
  saveFile(name, new Blob([text], { type }))
}

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // A minute later, the browser has long begun to read the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
