// Names of packages that many projects use. A name one letter beside one of them is probably meant to be mistaken for it.

const list = (names: string): readonly string[] => names.split(' ')

export const POPULAR: Readonly<Record<'npm' | 'pypi' | 'cargo' | 'gem', readonly string[]>> = {
  npm: list(
    'preact nuxt mysql args nest tape nock hapi jose canvas parse mongodb expo vitepress mitt sade yup rest unified colorette undici-types globby react react-dom next vue svelte angular express fastify koa hono lodash axios chalk commander yargs moment dayjs date-fns uuid dotenv cors body-parser mongoose sequelize prisma typeorm knex pg mysql2 redis ioredis jest vitest mocha chai sinon cypress playwright puppeteer webpack vite rollup esbuild parcel babel typescript ts-node tsx nodemon eslint prettier tailwindcss postcss autoprefixer sass less styled-components redux zustand mobx rxjs ramda immer zod joi yup ajv jsonwebtoken bcrypt bcryptjs passport helmet morgan winston pino debug semver glob minimatch rimraf mkdirp fs-extra cross-env concurrently husky lint-staged nanoid classnames clsx framer-motion three d3 chart.js socket.io ws graphql apollo-server node-fetch undici got superagent cheerio jsdom sharp multer formidable nodemailer stripe aws-sdk firebase openai langchain electron inquirer ora figlet colors underscore async bluebird request through2 readable-stream event-stream minimist js-yaml xml2js csv-parse handlebars ejs pug marked highlight.js prismjs crypto-js node-forge qs querystring path-to-regexp ms bn.js elliptic ethers web3 viem cross-spawn execa shelljs zx tslib core-js regenerator-runtime',
  ),
  pypi: list(
    'tomli boto scapy attr jinja nose mocks httplib2 aiohttp-cors pyyaml-env-tag pandera polars numba cython requests numpy pandas scipy matplotlib seaborn scikit-learn tensorflow torch torchvision keras transformers datasets flask django fastapi uvicorn gunicorn starlette pydantic sqlalchemy alembic psycopg2 psycopg2-binary pymongo redis celery boto3 botocore aiohttp httpx urllib3 certifi idna chardet charset-normalizer click typer rich colorama tqdm pyyaml toml jinja2 markupsafe werkzeug itsdangerous cryptography pyjwt passlib bcrypt paramiko fabric ansible pytest tox coverage mock hypothesis black ruff flake8 mypy pylint isort poetry setuptools wheel pip virtualenv pipenv jupyter notebook ipython pillow opencv-python beautifulsoup4 lxml scrapy selenium playwright openai anthropic langchain tiktoken huggingface-hub sentence-transformers networkx sympy statsmodels xgboost lightgbm plotly dash streamlit gradio python-dateutil pytz six attrs packaging filelock docker kubernetes google-auth protobuf grpcio',
  ),
  cargo: list(
    'serde serde_json tokio rand clap log anyhow thiserror reqwest hyper axum actix-web regex chrono uuid futures async-trait tracing tracing-subscriber lazy_static once_cell itertools rayon crossbeam parking_lot bytes url base64 hex sha2 ring rustls openssl sqlx diesel rusqlite bitflags libc syn quote proc-macro2 tempfile walkdir env_logger indexmap hashbrown dashmap',
  ),
  gem: list(
    'rails rake rack sinatra puma devise nokogiri rspec rubocop bundler sidekiq redis pg mysql2 sqlite3 activerecord activesupport capistrano faker factory_bot capybara pry json jwt bcrypt httparty faraday sprockets sass',
  ),
}

/** Whether one letter was added, left out, changed, or swapped with the next. */
export function isOneEditAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const restA = a.slice(start)
  const restB = b.slice(start)
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  )
}
