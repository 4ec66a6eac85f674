/**
 * Copies a text; false where the browser does not let the page. Over http, other than on this machine itself, there is no
 * clipboard, and an old command on a selected field is what is left. The field stands in `place`, since a dialog makes all
 * else unreachable.
 */
export async function copyText(text: string, place: HTMLElement): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // Refused by a permission: the old command may still work.
    }
  }
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'copied-text'
  place.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
