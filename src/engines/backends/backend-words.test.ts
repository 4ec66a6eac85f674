import { expect, test } from 'bun:test'
import type { BackendVerdict, JudgedBackend } from './backend.ts'
import { backendProblems } from './backend-words.ts'

const failed: BackendVerdict = {
  state: 'fails',
  reason: 'library libcudart.so.13 is missing',
  nextStep: "run 'inferd gpu install'",
  lines: [],
}
const computes: BackendVerdict = { state: 'computes', devices: [{ name: 'H200' }], tookMs: 1 }
const cuda = { id: 'cuda', kind: 'llama', backend: 'cuda', label: 'CUDA build', library: '/lib.so' } as const
const vulkan = { id: 'vulkan', kind: 'llama', backend: 'vulkan', label: 'Vulkan', library: '/vk.so' } as const
const cpu: JudgedBackend = { id: 'cpu', kind: 'llama', backend: 'cpu', label: 'CPU', verdict: computes }

test('a backend that fails is told with what is used instead', () => {
  expect(backendProblems([{ ...cuda, verdict: failed }, cpu])).toEqual([
    {
      text: 'CUDA build does not compute: library libcudart.so.13 is missing; chat models use CPU instead',
      advice: "run 'inferd gpu install'",
      isOnCpu: true,
    },
  ])
  const withVulkan = [{ ...cuda, verdict: failed }, { ...vulkan, verdict: computes }, cpu]
  expect(backendProblems(withVulkan)).toMatchObject([{ isOnCpu: false }])
})

test('what computes, has no device, or was not tried is no problem', () => {
  const states: BackendVerdict[] = [computes, { state: 'no-device' }, { state: 'untried' }]
  for (const verdict of states) expect(backendProblems([{ ...cuda, verdict }, cpu])).toEqual([])
})
