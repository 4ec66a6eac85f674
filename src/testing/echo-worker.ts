/** Program of a thread for tests: it answers each message with the message, ends on `end` and fails on `throw`. */
declare const self: Worker

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'end') process.exit(0)
  if (data === 'throw') throw new Error('thrown on purpose')
  if (data !== 'silent') self.postMessage(data)
}
