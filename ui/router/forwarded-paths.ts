import type { ForwardedPath, PagePath } from '../../src/wire/page-paths.ts'

const forwarded: Readonly<Record<ForwardedPath, PagePath>> = {
  '/dashboard': '/dashboard/chat',
  '/dashboard/play/chat': '/dashboard/chat',
  '/dashboard/play/speak': '/dashboard/speak',
  '/dashboard/play/transcribe': '/dashboard/transcribe',
  '/dashboard/play/vectors': '/dashboard/search',
}

const paths = new Map<string, string>(Object.entries(forwarded))

/** Returns the path of the page that a path leads to, which for most is the path itself. */
export function forwardedPath(pathname: string): string {
  return paths.get(pathname.replace(/(.)\/$/, '$1')) ?? pathname
}
