/** Pictures as data URLs, which requests hold, and as blobs, which the browser's database holds. */

/** Characters that `String.fromCharCode` takes at once. */
const pieceBytes = 32_768

/** Returns the content of a base64 data URL. */
export function toBlob(url: string): Blob {
  const [head = '', content = ''] = url.split(',', 2)
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type: head.replace(/^data:/, '').replace(/;base64$/, '') })
}

export async function toDataUrl(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let start = 0; start < bytes.length; start += pieceBytes)
    text += String.fromCharCode(...bytes.subarray(start, start + pieceBytes))
  return `data:${blob.type};base64,${btoa(text)}`
}
