import { expect, test } from 'bun:test'

test('a process whose work is done ends with its exit code, although a thread never ends', async () => {
  const program = `
    import { endSoon } from ${JSON.stringify(new URL('end-process.ts', import.meta.url).href)}
    const url = URL.createObjectURL(new Blob(['postMessage(1); for (;;);']))
    const thread = new Worker(url)
    await new Promise((resolve) => { thread.onmessage = resolve })
    process.exitCode = 3
    endSoon()
  `
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'inherit', stderr: 'inherit' })
  expect(await child.exited).toBe(3)
})
