import { describe, expect, it } from 'vitest'
import { commandOf, filePathOf, urlOf } from './tool-input.js'

const call = (tool_name: string, tool_input: unknown) => ({ tool_name, tool_input })

describe('filePathOf', () => {
  it.each([
    ['a field of the event', { file_path: 'a' }, 'a'],
    ['the current key', call('Write', { file_path: 'a', path: 'b' }), 'a'],
    ['an old key', call('Read', { target_file: 'a' }), 'a'],
    ['a notebook', call('Write', { notebook_path: 'a' }), 'a'],
    ['a search', call('Grep', { pattern: 'x', path: 'src' }), 'src'],
    ['an empty path beside another', call('Read', { file_path: '', path: 'b' }), undefined],
    ['a wrong path beside another', call('Read', { file_path: 7, path: 'b' }), undefined],
    ['null beside a path', call('Read', { file_path: null, path: 'b' }), 'b'],
    ['a patch', call('Write', { command: '*** Begin Patch' }), undefined],
    ['no input', { tool_name: 'Read' }, undefined],
    ['an input that is no object', call('Read', ['a']), undefined],
    ['a path that is no text', call('Read', { file_path: 7 }), undefined],
  ])('of %s', (_, payload, expected) => expect(filePathOf(payload)).toBe(expected))
})

describe('commandOf', () => {
  it.each([
    ['a shell event', { command: 'ls' }, 'ls'],
    ['a shell tool', call('Shell', { command: 'ls' }), 'ls'],
    ['a patch', call('Write', { command: '*** Begin Patch' }), undefined],
    ['an MCP call, whose command starts the server', { ...call('find', '{}'), command: 'npx x' }, undefined],
    ['no command', {}, undefined],
  ])('of %s', (_, payload, expected) => expect(commandOf(payload)).toBe(expected))
})

describe('urlOf', () => {
  it.each([
    ['a web tool', call('WebFetch', { url: 'https://example.com' }), 'https://example.com'],
    ['an MCP call, whose url is that of the server', { ...call('find', '{}'), url: 'https://x' }, undefined],
  ])('of %s', (_, payload, expected) => expect(urlOf(payload)).toBe(expected))
})
