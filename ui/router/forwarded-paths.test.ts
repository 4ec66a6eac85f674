import { expect, test } from 'bun:test'
import { forwardedPaths, pagePaths } from '../../src/wire/page-paths.ts'
import { forwardedPath } from './forwarded-paths.ts'

test('the start and addresses of earlier versions lead to pages, with or without a slash at their end', () => {
  const known: readonly string[] = pagePaths
  for (const path of forwardedPaths) {
    expect(known).toContain(forwardedPath(path))
    expect(forwardedPath(`${path}/`)).toBe(forwardedPath(path))
  }
})

test('all other addresses stay as they are', () => {
  for (const path of ['/', '/dashboard/keys', '/dashboard/keys/', '/dashboard/nothing', '/admin/models/a/b']) {
    expect(forwardedPath(path)).toBe(path)
  }
})
