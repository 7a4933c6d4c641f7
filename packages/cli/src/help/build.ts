export const text = `  holdfast build [FILE \u2026]   bundle TypeScript hooks, each into one file without dependencies

  guard.ts becomes guard.cjs beside it, executable, and hooks.json names "node .cursor/hooks/guard.cjs".
  Without a file: every TypeScript hook in .cursor/hooks that uses the SDK. Types are not checked here;
  that is the work of tsc.

    --out FILE         where to; a name that ends in .mjs makes a module
    --check            build nothing; exit 1 where a bundle is not what its source gives
    --root DIR         project folder
    --json             for programs

  Exit code
    0  built, or fresh      1  a source is wrong, or a bundle is stale

  Examples
    holdfast build .cursor/hooks/guard.ts
    holdfast build --check
`
