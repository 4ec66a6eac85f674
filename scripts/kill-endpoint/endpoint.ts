/**
 * Server to be killed. Plays scripts as vLLM does on the port in its argument, and begins each answer with its name.
 */
import { startFakeUpstream } from '../../src/testing/upstream/fake-upstream.ts'

const [port = '0', name = ''] = process.argv.slice(2)
const upstream = await startFakeUpstream({ flavor: 'vllm', port: Number(port), prefix: name })
console.log(JSON.stringify({ url: upstream.url }))
