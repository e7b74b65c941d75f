-- The base tables: what is true, and the little that the store must remember about itself.

-- Local facts about this file: its origin.
CREATE TABLE meta (
    key   VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);

-- The truth. No index: uniqueness is checked in the transaction that appends, and by the audit.
CREATE TABLE events (
    event_id       VARCHAR NOT NULL,
    origin         VARCHAR NOT NULL,
    seq            BIGINT  NOT NULL,
    kind           VARCHAR NOT NULL,
    version        INTEGER NOT NULL,
    recorded_us    BIGINT  NOT NULL,
    host           VARCHAR NOT NULL,
    git_sha        VARCHAR,
    diff_md5       VARCHAR,
    tree_md5       VARCHAR,
    binary_md5     VARCHAR,
    model_md5      VARCHAR,
    prompt_md5     VARCHAR,
    arch           VARCHAR,
    payload        VARCHAR NOT NULL USING COMPRESSION zstd,
    payload_sha256 VARCHAR NOT NULL,
    prev_hash      VARCHAR NOT NULL,
    hash           VARCHAR NOT NULL,
    CHECK (NOT contains(event_id, chr(10))),
    CHECK (NOT contains(origin, chr(10))),
    CHECK (NOT contains(kind, chr(10))),
    CHECK (NOT contains(host, chr(10))),
    CHECK (NOT contains(git_sha, chr(10))),
    CHECK (NOT contains(diff_md5, chr(10))),
    CHECK (NOT contains(tree_md5, chr(10))),
    CHECK (NOT contains(binary_md5, chr(10))),
    CHECK (NOT contains(model_md5, chr(10))),
    CHECK (NOT contains(prompt_md5, chr(10))),
    CHECK (NOT contains(arch, chr(10))),
    CHECK (NOT contains(payload_sha256, chr(10))),
    CHECK (NOT contains(prev_hash, chr(10))),
    CHECK (seq >= 0)
);

-- Events of other branches of a forked origin: kept, shown, and never part of a verdict.
CREATE TABLE conflicts (
    event_id       VARCHAR NOT NULL,
    origin         VARCHAR NOT NULL,
    seq            BIGINT  NOT NULL,
    kind           VARCHAR NOT NULL,
    version        INTEGER NOT NULL,
    recorded_us    BIGINT  NOT NULL,
    host           VARCHAR NOT NULL,
    git_sha        VARCHAR,
    diff_md5       VARCHAR,
    tree_md5       VARCHAR,
    binary_md5     VARCHAR,
    model_md5      VARCHAR,
    prompt_md5     VARCHAR,
    arch           VARCHAR,
    payload        VARCHAR NOT NULL USING COMPRESSION zstd,
    payload_sha256 VARCHAR NOT NULL,
    prev_hash      VARCHAR NOT NULL,
    hash           VARCHAR NOT NULL
);

-- Opaque bytes, by the sha256 of the raw bytes; the chain covers them through the payloads that name them.
CREATE TABLE blobs (
    sha256  VARCHAR NOT NULL,
    n_bytes BIGINT  NOT NULL,
    body    BLOB    NOT NULL USING COMPRESSION zstd
);

-- Which imported things are already here, so that a second ingest adds nothing.
CREATE TABLE sources (
    file_sha256 VARCHAR NOT NULL,
    ordinal     BIGINT  NOT NULL,
    adapter     VARCHAR NOT NULL,
    event_id    VARCHAR NOT NULL
);

-- Events whose facts could not be derived, and why.
CREATE TABLE facts_failed (
    event_id VARCHAR NOT NULL,
    fact     VARCHAR NOT NULL,
    error    VARCHAR NOT NULL
);

-- Merges into this file; local and unchained, since an event about a merge would fork the copies.
CREATE TABLE merges (
    merged_us BIGINT  NOT NULL,
    source    VARCHAR NOT NULL,
    origin    VARCHAR NOT NULL,
    new       BIGINT  NOT NULL,
    known     BIGINT  NOT NULL,
    contested BIGINT  NOT NULL
);

-- Digests of the query files that facts and views in this file were made from.
CREATE TABLE catalog_state (
    name   VARCHAR NOT NULL,
    digest VARCHAR NOT NULL
);
