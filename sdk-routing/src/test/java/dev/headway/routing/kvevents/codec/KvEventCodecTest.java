package dev.headway.routing.kvevents.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.routing.kvevents.codec.KvEvent.AllBlocksCleared;
import dev.headway.routing.kvevents.codec.KvEvent.BlockRemoved;
import dev.headway.routing.kvevents.codec.KvEvent.BlockStored;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Batches that msgspec wrote for vLLM's classes, and what decoders meet beside them. */
class KvEventCodecTest {

  private static final String FIRST =
      "c9d58ba695280d69b243e1e0df813136ca9196b286fb1a021e0b2e028ef071cb";
  private static final String SECOND =
      "610d82c364929f24a366683e03ea284b9aec085805343f1ee9bb52b6da871679";

  @ParameterizedTest
  @CsvSource({
    "vllm_array_bytes_hash, ARRAY, true",
    "vllm_array_int64_hash, ARRAY, false",
    "vllm_event_maps_in_array_batch_bytes_hash, MAP, true",
    "vllm_event_maps_in_array_batch_int64_hash, MAP, false",
    "vllm_all_maps_bytes_hash, ALL_MAPS, true",
    "vllm_all_maps_int64_hash, ALL_MAPS, false",
  })
  void shouldReadAndWriteWhatVllmWrites(String name, KvEventDialect dialect, boolean digests)
      throws Exception {
    final byte[] golden = golden(name);

    final DecodedBatch decoded = KvEventDecoder.decode(golden);

    final KvBatch batch = decoded.batch();
    assertThat(decoded.badEvents() + decoded.unknownEvents()).isZero();
    assertThat(batch.timestampSeconds()).isEqualTo(1_761_816_192.125);
    assertThat(batch.dataParallelRank()).isZero();
    assertThat(batch.events()).hasSize(4);
    final BlockStored stored = (BlockStored) batch.events().get(0);
    assertThat(stored.hashes())
        .usingElementComparator((a, b) -> a.isWrittenAs(b) ? 0 : 1)
        .containsExactly(hash(FIRST, digests), hash(SECOND, digests));
    assertThat(stored.parent()).isNull();
    assertThat(stored.tokens()).containsExactly(1, 2, 3, 4, 5, 6, 7, 300);
    assertThat(stored.blockSize()).isEqualTo(4);
    assertThat(stored.medium()).isEqualTo("GPU");
    assertThat(stored.extraKeys()).isEqualTo(new KvExtraKeys(Arrays.asList(null, null)));
    assertThat(stored.group()).isZero();
    assertThat(stored.groupKind()).isEqualTo("full_attention");
    final BlockStored next = (BlockStored) batch.events().get(1);
    assertThat(next.parent()).isEqualTo(hash(SECOND, digests));
    assertThat(next.tokens()).containsExactly(70_000, 9, 10, 11);
    assertThat(batch.events().get(2))
        .isEqualTo(new BlockRemoved(List.of(hash(FIRST, digests)), "GPU", null));
    assertThat(batch.events().get(3)).isEqualTo(new AllBlocksCleared());
    assertThat(new KvEventEncoder(dialect).encode(batch)).asHexString().isEqualTo(hex(golden));
  }

  @Test
  void shouldReadAndWriteWhatSglangWroteIn2025() throws Exception {
    final byte[] golden = golden("sglang_2025_array_int64");

    final KvBatch batch = KvEventDecoder.decode(golden).batch();

    assertThat(batch.dataParallelRank()).isNull();
    final BlockStored stored = (BlockStored) batch.events().get(0);
    assertThat(stored.tokens()).containsExactly(1, 2, 3, 4);
    assertThat(stored.medium()).isNull();
    assertThat(batch.events().get(1))
        .isEqualTo(new BlockRemoved(List.of(hash(FIRST, false)), null, null));
    assertThat(new KvEventEncoder(KvEventDialect.SHORT_ARRAY).encode(batch))
        .asHexString()
        .isEqualTo(hex(golden));
  }

  @Test
  void shouldPassOverEventsItDoesNotKnowOrCannotRead() throws Exception {
    final MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
    packer.packArrayHeader(4).packDouble(7.5).packArrayHeader(6);
    packer.packArrayHeader(2).packString("BlockPinned").packInt(1); // not known
    stored(packer, 3, 4); // three tokens, not four
    packer.packInt(9); // no event
    packer.packArrayHeader(1).packString("BlockStored"); // without all it needs
    packer.packMapHeader(2).packString("news").packNil();
    packer.packString("type").packString("AllBlocksCleared");
    stored(packer, 4, 4);
    packer.packNil().packString("more");

    final DecodedBatch decoded = KvEventDecoder.decode(packer.toByteArray());

    assertThat(decoded.unknownEvents()).isEqualTo(1);
    assertThat(decoded.badEvents()).isEqualTo(3);
    assertThat(decoded.batch().events()).hasSize(2);
    assertThat(decoded.batch().events().get(0)).isEqualTo(new AllBlocksCleared());
  }

  private static void stored(MessageBufferPacker packer, int tokens, int blockSize)
      throws IOException {
    packer.packArrayHeader(5).packString("BlockStored");
    packer.packArrayHeader(1).packInt(-5); // a signed name keeps its bits
    packer.packNil().packArrayHeader(tokens);
    for (int i = 0; i < tokens; i++) {
      packer.packInt(i);
    }
    packer.packInt(blockSize);
  }

  @Test
  void shouldFlattenTheOverlappingPairsOfADraftModel() throws Exception {
    final MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
    packer.packArrayHeader(2).packDouble(0).packArrayHeader(1);
    packer.packArrayHeader(5).packString("BlockStored").packArrayHeader(1).packLong(5).packNil();
    packer.packArrayHeader(4);
    for (int i = 0; i < 4; i++) {
      packer.packArrayHeader(2).packInt(10 + i).packInt(11 + i);
    }
    packer.packInt(4);

    final DecodedBatch decoded = KvEventDecoder.decode(packer.toByteArray());

    assertThat(decoded.badEvents()).isZero();
    assertThat(((BlockStored) decoded.batch().events().get(0)).tokens())
        .containsExactly(10, 11, 12, 13);
  }

  @Test
  void shouldTakeTheLastBytesOfADigestAsNumber() {
    assertThat(KvBlockHash.ofDigest(new byte[] {1, 2}).low64()).isEqualTo(0x0102);
    assertThat(Long.toUnsignedString(hash(SECOND, true).low64())).isEqualTo("16842146176785913465");
  }

  /**
   * Whatever comes is read, or refused with the one exception; a length that lies costs nothing.
   */
  @Test
  void shouldRefuseWhatIsNoBatch() throws Exception {
    for (String hex : List.of("", "c0", "01", "9101", "dd7fffffff", "9201dd7fffffff", "9201a161")) {
      assertThatThrownBy(() -> KvEventDecoder.decode(HexFormat.of().parseHex(hex)))
          .as(hex)
          .isInstanceOf(KvEventFormatException.class);
    }
    final byte[] golden = golden("vllm_all_maps_bytes_hash");
    final Random random = new Random(14);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      final byte[] damaged = golden.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      try {
        KvEventDecoder.decode(damaged);
      } catch (KvEventFormatException e) {
        refused++;
      }
    }
    assertThat(refused).as("refused of 20,000, seed 14").isBetween(100, 19_900);
  }

  static KvBlockHash hash(String digest, boolean asDigest) {
    final KvBlockHash hash = KvBlockHash.ofDigest(HexFormat.of().parseHex(digest));
    return asDigest ? hash : KvBlockHash.ofLong(hash.low64());
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in =
        KvEventCodecTest.class.getResourceAsStream("/wire/kv_events_golden.json")) {
      final JsonNode root = JsonMapper.shared().readTree(Objects.requireNonNull(in));
      return HexFormat.of().parseHex(root.get(name).get("hex").asString());
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().withUpperCase().formatHex(bytes);
  }
}
