import { expect, test } from 'bun:test'
import { findPage } from './find-page.ts'

const paths = ['/admin', '/admin/models', '/admin/models/*'] as const

test('an address is that of its page, with or without a slash at its end', () => {
  expect(findPage(paths, '/admin/models/')).toEqual({ path: '/admin/models', id: '' })
  expect(findPage(paths, '/admin')).toEqual({ path: '/admin', id: '' })
})

test('a star stands for an id with slashes, decoded', () => {
  expect(findPage(paths, '/admin/models/Qwen/Qwen3%2032B')).toEqual({ path: '/admin/models/*', id: 'Qwen/Qwen3 32B' })
})

test('an address of no page has none', () => {
  expect(findPage(paths, '/admin/nothing')).toBeUndefined()
})
