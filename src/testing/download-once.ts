/** A process that downloads one file: `download-once.ts ADDRESS TARGET [--chunk-bytes N] [--rate N]`. Prints what it got as JSON. */
import { parseArgs } from 'node:util'
import { Downloader } from '../store/download/downloader.ts'
import { WebClient } from '../store/web/web-client.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'chunk-bytes': { type: 'string' }, rate: { type: 'string' } },
})
const [address = '', target = ''] = positionals
const chunkBytes = values['chunk-bytes']
const client = new WebClient({ isInsecureAllowed: false, trustedOrigins: [], environment: {} })
using downloader = new Downloader({
  client,
  pauseMs: () => 10,
  bytesPerSecond: values.rate === undefined ? undefined : Number(values.rate),
  ...(chunkBytes === undefined ? {} : { chunkBytes: Number(chunkBytes) }),
})
const name = target.slice(target.lastIndexOf('/') + 1)
const planned = { role: 'model', name, address, source: address, bytes: undefined, sha256: undefined }
const got = await downloader.download(planned, target, {
  signal: new AbortController().signal,
  onProgress: () => undefined,
})
console.log(JSON.stringify({ sha256: got.sha256, bytes: got.bytes }))
