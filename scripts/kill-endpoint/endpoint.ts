/** A server to be killed: plays scripts as vLLM does, on the port of its argument, and says its name in front of each answer. */
import { startFakeUpstream } from '../../src/testing/upstream/fake-upstream.ts'

const [port = '0', name = ''] = process.argv.slice(2)
const upstream = await startFakeUpstream({ flavor: 'vllm', port: Number(port), prefix: name })
console.log(JSON.stringify({ url: upstream.url }))
