/** Serves one file as a hub's store does, straight from the page cache: `file-server.ts FILE`. Prints its address. */
const [, , path = ''] = process.argv
const file = Bun.file(path)
const headers = { 'accept-ranges': 'bytes', etag: '"bench"' }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch(request) {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
    if (first === undefined || last === undefined) return new Response(file, { headers })
    const range = `bytes ${first}-${last}/${file.size}`
    const part = file.slice(Number(first), Number(last) + 1)
    return new Response(part, { status: 206, headers: { ...headers, 'content-range': range } })
  },
})
console.log(server.url.href)
