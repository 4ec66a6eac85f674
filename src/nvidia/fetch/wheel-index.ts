/** Finds wheels in a package index, PyPI or a mirror of it, by its "simple" pages, as pip does. */
import { isObject, objectIn } from '../../core/json.ts'
import type { PlannedFile } from '../../store/plan.ts'
import type { WebClient } from '../../store/web/web-client.ts'
import { type WheelPin, wheelArchitecture } from './wheels.ts'

export const defaultIndex = 'https://pypi.org/simple'

/** Error of an index that lacks a wheel. The message is a whole sentence. */
export class IndexError extends Error {
  override name = 'IndexError'
}

interface IndexFile {
  readonly fileName: string
  readonly url: string
  readonly sha256: string | undefined
}

const pageLimitBytes = 16 * 1024 * 1024
const accepted = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5'

/**
 * Returns the wheel to fetch for a pin. Throws IndexError if the index lacks it or has another checksum, and WebError.
 */
export async function planWheel(
  pin: WheelPin,
  { index, client, signal }: { readonly index: string; readonly client: WebClient; readonly signal: AbortSignal },
): Promise<PlannedFile> {
  const page = new URL(`${index.replace(/\/+$/, '')}/${pin.name}/`)
  const { text, base } = await client.ask(async () => {
    const answer = await client.get(page, { headers: { accept: accepted }, signal })
    return { text: await answer.text(pageLimitBytes), base: answer.address }
  }, signal)
  const files = filesOf(text, base)
  const { name, version, sha256 } = pin
  const [file] = [...files.filter((each) => each.sha256 === sha256), ...files.filter((each) => isWheelOf(each, pin))]
  if (file === undefined)
    throw new IndexError(
      `${page.host} has no wheel of ${name} ${version} for this machine; try PyPI, or another mirror`,
    )
  if (file.sha256 !== undefined && file.sha256 !== sha256)
    throw new IndexError(
      `${page.host} says another sum of ${file.fileName} (${file.sha256}) than is pinned (${sha256}); nothing was fetched`,
    )
  const source = `${name} ${version}`
  return { role: 'wheel', name: file.fileName, address: file.url, source, bytes: undefined, sha256 }
}

function isWheelOf({ fileName }: IndexFile, { name, version }: WheelPin): boolean {
  const start = `${name.replaceAll('-', '_')}-${version}-`
  return fileName.startsWith(start) && fileName.endsWith(`${wheelArchitecture()}.whl`)
}

/** Reads JSON if the index sends it, else the links of the page. Ignores names that are not plain. */
function filesOf(text: string, base: URL): IndexFile[] {
  const files = text.trimStart().startsWith('{') ? filesOfJson(text) : filesOfPage(text)
  return files.flatMap(({ fileName, url, sha256 }) => {
    const address = URL.parse(url, base.href)
    if (address === null || !/^[A-Za-z0-9._+-]+\.whl$/.test(fileName)) return []
    const said = sha256 ?? /^#sha256=([0-9a-f]{64})$/.exec(address.hash)?.[1]
    address.hash = ''
    return [{ fileName, url: address.href, sha256: said }]
  })
}

function filesOfJson(text: string): IndexFile[] {
  const files = objectIn(text)?.files
  return (Array.isArray(files) ? files : []).flatMap((file: unknown) => {
    if (!isObject(file) || typeof file.filename !== 'string' || typeof file.url !== 'string') return []
    const sum = isObject(file.hashes) ? file.hashes.sha256 : undefined
    return [{ fileName: file.filename, url: file.url, sha256: typeof sum === 'string' ? sum : undefined }]
  })
}

function filesOfPage(text: string): IndexFile[] {
  return [...text.matchAll(/<a\s[^>]*href\s*=\s*["']([^"']+)["'][^>]*>([^<]*)<\/a>/gi)].map(
    ([, href = '', name = '']) => ({
      fileName: name.trim(),
      url: href.replaceAll('&amp;', '&'),
      sha256: undefined,
    }),
  )
}
