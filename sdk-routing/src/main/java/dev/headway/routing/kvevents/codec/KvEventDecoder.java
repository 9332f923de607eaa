package dev.headway.routing.kvevents.codec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * Reads batches of every dialect, distinguished by what MessagePack says of each value: an array or
 * a map.
 *
 * <p>Fields that are missing are nil, and what is not known is passed over, so that older and newer
 * engines are understood. An event that cannot be read is counted and leaves the rest of its batch
 * alone. Any thread.
 */
public final class KvEventDecoder {

  private KvEventDecoder() {}

  /**
   * Reads a batch.
   *
   * @throws KvEventFormatException if it is none: not MessagePack, or without a list of events
   */
  public static DecodedBatch decode(byte[] payload) throws KvEventFormatException {
    final Value root = root(payload);
    final Function<String, Value> fields = fields(root, KvField.OF_BATCH, 0);
    final Value events = fields.apply(KvField.EVENTS);
    final Value timestamp = fields.apply(KvField.TIMESTAMP);
    if (!events.isArrayValue() || !timestamp.isNumberValue()) {
      throw new KvEventFormatException(
          "a batch of KV events must have a time and a list of events: ts is "
              + timestamp.getValueType()
              + ", events is "
              + events.getValueType());
    }
    final List<KvEvent> read = new ArrayList<>();
    int unknown = 0;
    int bad = 0;
    for (Value value : events.asArrayValue()) {
      try {
        final KvEvent event = event(value);
        if (event == null) {
          unknown++;
        } else {
          read.add(event);
        }
      } catch (MessagePackException
          | IllegalArgumentException
          | ArithmeticException
          | IndexOutOfBoundsException e) {
        bad++;
      }
    }
    final Value rank = fields.apply(KvField.RANK);
    return new DecodedBatch(
        new KvBatch(
            timestamp.asNumberValue().toDouble(),
            read,
            rank.isIntegerValue() && rank.asIntegerValue().isInIntRange()
                ? rank.asIntegerValue().asInt()
                : null),
        unknown,
        bad);
  }

  private static Value root(byte[] payload) throws KvEventFormatException {
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload)) {
      requireTrueLengths(payload);
      return unpacker.unpackValue();
    } catch (IOException | MessagePackException | StackOverflowError e) {
      throw new KvEventFormatException(
          "a batch of KV events must be MessagePack: bytes=" + payload.length, e);
    }
  }

  /** Walks through all values, so that no length that lies makes an array of that length. */
  private static void requireTrueLengths(byte[] payload)
      throws IOException, KvEventFormatException {
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload)) {
      for (long left = 1; left > 0; left--) {
        switch (unpacker.getNextFormat().getValueType()) {
          case ARRAY -> left += unpacker.unpackArrayHeader();
          case MAP -> left += 2L * unpacker.unpackMapHeader();
          default -> unpacker.skipValue();
        }
        if (left > payload.length) {
          throw new KvEventFormatException(
              "lengths in MessagePack must be those of what follows: values announced="
                  + left
                  + ", bytes="
                  + payload.length);
        }
      }
    }
  }

  /** Fields by name; a null one is nil. */
  private static Function<String, Value> fields(Value value, List<String> names, int skipped)
      throws KvEventFormatException {
    if (value.isMapValue()) {
      final var map = value.asMapValue().map();
      return name -> orNil(map.get(ValueFactory.newString(name)));
    }
    if (value.isArrayValue()) {
      final List<Value> list = value.asArrayValue().list();
      return name -> {
        final int position = skipped + names.indexOf(name);
        return position < list.size() ? list.get(position) : ValueFactory.newNil();
      };
    }
    throw new KvEventFormatException(
        "a batch of KV events must be an array or a map: it is " + value.getValueType());
  }

  private static Value orNil(@Nullable Value value) {
    return value == null ? ValueFactory.newNil() : value;
  }

  private static @Nullable KvEvent event(Value value) {
    final Value tag = tag(value);
    if (!tag.isStringValue()) {
      throw new IllegalArgumentException(
          "an event must have a type: it is " + value.getValueType());
    }
    try {
      return switch (tag.asStringValue().asString()) {
        case KvField.STORED -> stored(fields(value, KvField.OF_STORED, 1));
        case KvField.REMOVED -> removed(fields(value, KvField.OF_REMOVED, 1));
        case KvField.CLEARED -> new KvEvent.AllBlocksCleared();
        default -> null;
      };
    } catch (KvEventFormatException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static Value tag(Value value) {
    if (value.isMapValue()) {
      return orNil(value.asMapValue().map().get(ValueFactory.newString(KvField.TYPE)));
    }
    return value.isArrayValue() && value.asArrayValue().size() > 0
        ? value.asArrayValue().get(0)
        : ValueFactory.newNil();
  }

  private static KvEvent stored(Function<String, Value> fields) {
    final Value parent = fields.apply(KvField.PARENT);
    final List<KvBlockHash> hashes = hashes(fields.apply(KvField.HASHES));
    final int blockSize = fields.apply(KvField.BLOCK_SIZE).asIntegerValue().asInt();
    return new KvEvent.BlockStored(
        hashes,
        parent.isNilValue() ? null : hash(parent),
        tokens(fields.apply(KvField.TOKENS), Math.multiplyExact(hashes.size(), blockSize)),
        blockSize,
        numberOrNull(fields.apply(KvField.LORA_ID)),
        textOrNull(fields.apply(KvField.MEDIUM)),
        textOrNull(fields.apply(KvField.LORA_NAME)),
        extraKeys(fields.apply(KvField.EXTRA_KEYS)),
        intOrNull(fields.apply(KvField.GROUP)),
        textOrNull(fields.apply(KvField.KIND)),
        intOrNull(fields.apply(KvField.WINDOW)));
  }

  private static KvEvent removed(Function<String, Value> fields) {
    return new KvEvent.BlockRemoved(
        hashes(fields.apply(KvField.HASHES)),
        textOrNull(fields.apply(KvField.MEDIUM)),
        intOrNull(fields.apply(KvField.GROUP)));
  }

  private static List<KvBlockHash> hashes(Value value) {
    final List<KvBlockHash> hashes = new ArrayList<>();
    for (Value hash : value.asArrayValue()) {
      hashes.add(hash(hash));
    }
    return hashes;
  }

  /** A number, signed or not, keeps its bits. */
  private static KvBlockHash hash(Value value) {
    if (value.isIntegerValue()) {
      return KvBlockHash.ofLong(value.asIntegerValue().asBigInteger().longValue());
    }
    return KvBlockHash.ofDigest(value.asRawValue().asByteArray());
  }

  /**
   * Tokens, or the overlapping pairs that an EAGLE draft model makes of them. N pairs are of N + 1
   * tokens; the last one is behind the blocks and left out.
   */
  private static int[] tokens(Value value, int expected) {
    final List<Value> list = value.asArrayValue().list();
    if (list.isEmpty() || !list.get(0).isArrayValue()) {
      return list.stream().mapToInt(token -> token.asIntegerValue().asInt()).toArray();
    }
    final int[] tokens = new int[list.size() + 1];
    tokens[0] = list.get(0).asArrayValue().get(0).asIntegerValue().asInt();
    for (int i = 0; i < list.size(); i++) {
      tokens[i + 1] = list.get(i).asArrayValue().get(1).asIntegerValue().asInt();
    }
    return tokens.length == expected + 1 ? Arrays.copyOf(tokens, expected) : tokens;
  }

  private static @Nullable KvExtraKeys extraKeys(Value value) {
    if (!value.isArrayValue()) {
      return null;
    }
    final List<@Nullable List<String>> ofBlocks = new ArrayList<>();
    for (Value keys : value.asArrayValue()) {
      ofBlocks.add(
          keys.isArrayValue()
              ? keys.asArrayValue().list().stream().map(KvEventDecoder::text).toList()
              : null);
    }
    return new KvExtraKeys(ofBlocks);
  }

  private static String text(Value value) {
    return value.isStringValue() ? value.asStringValue().asString() : value.toJson();
  }

  private static @Nullable String textOrNull(Value value) {
    return value.isStringValue() ? value.asStringValue().asString() : null;
  }

  private static @Nullable Long numberOrNull(Value value) {
    return value.isIntegerValue() && value.asIntegerValue().isInLongRange()
        ? value.asIntegerValue().asLong()
        : null;
  }

  private static @Nullable Integer intOrNull(Value value) {
    return value.isIntegerValue() && value.asIntegerValue().isInIntRange()
        ? value.asIntegerValue().asInt()
        : null;
  }
}
