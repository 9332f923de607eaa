package dev.headway.routing.kvevents.codec;

import dev.headway.routing.kvevents.codec.KvEvent.AllBlocksCleared;
import dev.headway.routing.kvevents.codec.KvEvent.BlockRemoved;
import dev.headway.routing.kvevents.codec.KvEvent.BlockStored;
import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

/**
 * Writes batches in one dialect, byte for byte as msgspec does for vLLM. Not thread-safe.
 *
 * <p>In maps a field at its default is left out; those that have none in vLLM ({@code lora_id},
 * {@code medium}, {@code lora_name}) are written as nil.
 */
public final class KvEventEncoder {

  private static final int SHORT_STORED_FIELDS = 5;
  private static final int SHORT_REMOVED_FIELDS = 1;
  private static final List<String> WITHOUT_DEFAULT =
      List.of(
          KvField.HASHES,
          KvField.PARENT,
          KvField.TOKENS,
          KvField.BLOCK_SIZE,
          KvField.LORA_ID,
          KvField.MEDIUM,
          KvField.LORA_NAME);

  private final KvEventDialect dialect;
  private final MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();

  /** Writes in {@code dialect}. */
  public KvEventEncoder(KvEventDialect dialect) {
    this.dialect = dialect;
  }

  /** The bytes of a batch. */
  public byte[] encode(KvBatch batch) {
    packer.clear();
    try {
      write(batch);
      return packer.toByteArray();
    } catch (IOException e) {
      throw new AssertionError("memory must take what is written", e);
    }
  }

  private void write(KvBatch batch) throws IOException {
    switch (dialect) {
      case ARRAY, MAP -> packer.packArrayHeader(3);
      case SHORT_ARRAY -> packer.packArrayHeader(2);
      case ALL_MAPS -> packer.packMapHeader(3).packString(KvField.TIMESTAMP);
    }
    packer.packDouble(batch.timestampSeconds());
    if (dialect == KvEventDialect.ALL_MAPS) {
      packer.packString(KvField.EVENTS);
    }
    packer.packArrayHeader(batch.events().size());
    for (KvEvent event : batch.events()) {
      write(event);
    }
    if (dialect == KvEventDialect.ALL_MAPS) {
      packer.packString(KvField.RANK);
    }
    if (dialect != KvEventDialect.SHORT_ARRAY) {
      writeNumber(batch.dataParallelRank());
    }
  }

  private void write(KvEvent event) throws IOException {
    switch (event) {
      case BlockStored stored -> {
        begin(KvField.STORED, fieldsOf(KvField.OF_STORED, SHORT_STORED_FIELDS, stored));
        for (String field : fieldsOf(KvField.OF_STORED, SHORT_STORED_FIELDS, stored)) {
          name(field);
          writeField(field, stored);
        }
      }
      case BlockRemoved removed -> {
        begin(KvField.REMOVED, fieldsOf(KvField.OF_REMOVED, SHORT_REMOVED_FIELDS, removed));
        for (String field : fieldsOf(KvField.OF_REMOVED, SHORT_REMOVED_FIELDS, removed)) {
          name(field);
          writeField(field, removed);
        }
      }
      case AllBlocksCleared cleared -> begin(KvField.CLEARED, List.of());
    }
  }

  private List<String> fieldsOf(List<String> all, int shortCount, KvEvent event) {
    return switch (dialect) {
      case ARRAY -> all;
      case SHORT_ARRAY -> all.subList(0, shortCount);
      case MAP, ALL_MAPS -> all.stream().filter(field -> isWritten(field, event)).toList();
    };
  }

  private static boolean isWritten(String field, KvEvent event) {
    return WITHOUT_DEFAULT.contains(field)
        || switch (event) {
          case BlockStored stored ->
              switch (field) {
                case KvField.EXTRA_KEYS -> stored.extraKeys() != null;
                case KvField.GROUP -> stored.group() != null;
                case KvField.KIND -> stored.groupKind() != null;
                default -> stored.slidingWindow() != null;
              };
          case BlockRemoved removed -> removed.group() != null;
          case AllBlocksCleared cleared -> false;
        };
  }

  private void begin(String tag, List<String> fields) throws IOException {
    if (writesMaps()) {
      packer.packMapHeader(1 + fields.size()).packString(KvField.TYPE);
    } else {
      packer.packArrayHeader(1 + fields.size());
    }
    packer.packString(tag);
  }

  private void name(String field) throws IOException {
    if (writesMaps()) {
      packer.packString(field);
    }
  }

  private boolean writesMaps() {
    return dialect == KvEventDialect.MAP || dialect == KvEventDialect.ALL_MAPS;
  }

  private void writeField(String field, BlockStored stored) throws IOException {
    switch (field) {
      case KvField.HASHES -> writeHashes(stored.hashes());
      case KvField.PARENT -> writeHash(stored.parent());
      case KvField.TOKENS -> writeTokens(stored.tokens());
      case KvField.BLOCK_SIZE -> packer.packInt(stored.blockSize());
      case KvField.LORA_ID -> writeNumber(stored.loraId());
      case KvField.MEDIUM -> writeText(stored.medium());
      case KvField.LORA_NAME -> writeText(stored.loraName());
      case KvField.EXTRA_KEYS -> writeExtraKeys(stored.extraKeys());
      case KvField.GROUP -> writeNumber(stored.group());
      case KvField.KIND -> writeText(stored.groupKind());
      default -> writeNumber(stored.slidingWindow());
    }
  }

  private void writeField(String field, BlockRemoved removed) throws IOException {
    switch (field) {
      case KvField.HASHES -> writeHashes(removed.hashes());
      case KvField.MEDIUM -> writeText(removed.medium());
      default -> writeNumber(removed.group());
    }
  }

  private void writeHashes(List<KvBlockHash> hashes) throws IOException {
    packer.packArrayHeader(hashes.size());
    for (KvBlockHash hash : hashes) {
      writeHash(hash);
    }
  }

  private void writeHash(@Nullable KvBlockHash hash) throws IOException {
    if (hash == null) {
      packer.packNil();
    } else if (hash.isDigest()) {
      final byte[] bytes = hash.bytes();
      packer.packBinaryHeader(bytes.length).writePayload(bytes);
    } else if (hash.low64() >= 0) {
      packer.packLong(hash.low64());
    } else {
      packer.packBigInteger(new BigInteger(1, hash.bytes()));
    }
  }

  private void writeTokens(int[] tokens) throws IOException {
    packer.packArrayHeader(tokens.length);
    for (int token : tokens) {
      packer.packInt(token);
    }
  }

  private void writeExtraKeys(@Nullable KvExtraKeys extra) throws IOException {
    if (extra == null) {
      packer.packNil();
      return;
    }
    packer.packArrayHeader(extra.ofBlocks().size());
    for (List<String> keys : extra.ofBlocks()) {
      if (keys == null) {
        packer.packNil();
      } else {
        packer.packArrayHeader(keys.size());
        for (String key : keys) {
          packer.packString(key);
        }
      }
    }
  }

  private void writeNumber(@Nullable Number number) throws IOException {
    if (number == null) {
      packer.packNil();
    } else {
      packer.packLong(number.longValue());
    }
  }

  private void writeText(@Nullable String text) throws IOException {
    if (text == null) {
      packer.packNil();
    } else {
      packer.packString(text);
    }
  }
}
