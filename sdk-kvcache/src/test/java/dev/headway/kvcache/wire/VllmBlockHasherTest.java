package dev.headway.kvcache.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code hash_vectors.jsonl} was recorded from vLLM 0.28. The other expectations are those of a
 * second implementation, in Python.
 */
class VllmBlockHasherTest {

  private static final HexFormat HEX = HexFormat.of();

  private final VllmBlockHasher oneToken = VllmBlockHasher.withDefaultSeed(1);

  static List<JsonNode> recording() {
    final JsonMapper json = JsonMapper.builder().build();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                VllmBlockHasherTest.class.getResourceAsStream("hash_vectors.jsonl"),
                StandardCharsets.UTF_8))) {
      return lines.lines().map(json::readTree).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<JsonNode> vectors() {
    return recording().stream().skip(1);
  }

  /** A router that knows the last name needs no tokens from before. */
  @Test
  void shouldGoOnBehindABlock() {
    final VllmBlockHasher hasher = VllmBlockHasher.withSeed(4, "0");
    final int[] tokens = {1, 2, 3, 4, 5, 6, 7, 300, 70_000, 9, 10, 11};
    final List<byte[]> names = hasher.hash(tokens, "my-lora", "salt");

    final VllmBlockHashChain chain = hasher.chainBehind(names.get(0), "my-lora");
    chain.append(tokens, 4);
    chain.append(tokens, 8);

    assertThat(chain.digest()).isEqualTo(names.get(2));
  }

  @Test
  void shouldBeginWithTheRecordedNoneHash() {
    final JsonNode header = recording().getFirst();

    assertThat(header.get("hash").asString()).isEqualTo("sha256_cbor");
    assertThat(VllmBlockHasher.DEFAULT_SEED).isEqualTo(header.get("default_seed").asString());
    assertThat(HEX.formatHex(oneToken.noneHash())).isEqualTo(header.get("none_hash").asString());
    assertThat(recording()).hasSize(41);
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void shouldNameBlocksAsRecorded(JsonNode vector) {
    final int blockSize = vector.get("block_size").asInt();
    final int[] tokens = vector.get("tokens").valueStream().mapToInt(JsonNode::asInt).toArray();
    final VllmBlockHasher hasher = VllmBlockHasher.withDefaultSeed(blockSize);
    final String loraName = text(vector, "lora_name");
    final String salt = text(vector, "salt");

    final VllmBlockHashChain chain = hasher.chain(loraName, salt);
    final List<String> digests = new ArrayList<>();
    final List<String> numbers = new ArrayList<>();
    while ((chain.blocks() + 1) * blockSize <= tokens.length) {
      chain.append(tokens, chain.blocks() * blockSize);
      digests.add(HEX.formatHex(chain.digest()));
      numbers.add(Long.toUnsignedString(chain.low64()));
    }

    assertThat(digests).isEqualTo(texts(vector, "block_hashes"));
    assertThat(numbers).isEqualTo(texts(vector, "int64"));
    assertThat(hasher.hash(tokens, loraName, salt).stream().map(HEX::formatHex)).isEqualTo(digests);
  }

  private static String text(JsonNode vector, String field) {
    return vector.get(field).isNull() ? null : vector.get(field).asString();
  }

  private static List<String> texts(JsonNode vector, String field) {
    return vector.get(field).valueStream().map(JsonNode::asString).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "'', 8d33f520a3c4cef80d2453aef81b612bfe1cb44c8b2025630ad38662763f13d3",
    "0, 4e1195df020de59e0d65a33a4279f1183e7ae4e5d980e309f8b55adff2e61c3e",
    "42, 9fa6eb003f14425eb9c8e6baacfbcaab26257357b829c7bfa74ffcc4f31c1780"
  })
  void shouldHashTheSeedAsText(String seed, String noneHash) {
    assertThat(HEX.formatHex(VllmBlockHasher.withSeed(16, seed).noneHash())).isEqualTo(noneHash);
  }

  @Test
  void shouldWriteEachTokenInItsShortestForm() {
    final int[] edges = {0, 23, 24, 255, 256, 65_535, 65_536, Integer.MAX_VALUE};

    assertThat(VllmBlockHasher.withDefaultSeed(8).hash(edges, null, null))
        .extracting(HEX::formatHex)
        .containsExactly("c6f01498d6bdfd373483df00b7895cc293f3a17a5a61e68b65a9105d945c0f09");
  }

  @Test
  void shouldWriteTheLengthOfALongBlockInTwoBytes() {
    final int[] tokens = IntStream.range(0, 300).toArray();

    assertThat(VllmBlockHasher.withDefaultSeed(300).hash(tokens, null, null))
        .extracting(HEX::formatHex)
        .containsExactly("d7ab9edba6bc3b3e1b0ed93351a4ab55480954fad9dd9381e5cda18bd1a823b2");
  }

  @Test
  void shouldCountTheBytesOfTextsAndNotTheirCharacters() {
    final int[] token = {1};

    assertThat(oneToken.hash(token, null, "\ud83d\ude00"))
        .extracting(HEX::formatHex)
        .containsExactly("cd09d744bd13cfaaaab7a11768b547b27fa4e8a32c5c0eeb65a26c1948a5264f");
    assertThat(oneToken.hash(token, "lora-\u00e9", "\u00fc".repeat(40_000)))
        .extracting(HEX::formatHex)
        .containsExactly("f75a0668babf500c286bb054fc2bc9c990246125ed40023c4e9cd115047db846");
  }

  @Test
  void shouldTakeAnEmptySaltForNone() {
    assertThat(oneToken.hash(new int[] {1, 2}, null, ""))
        .containsExactlyElementsOf(oneToken.hash(new int[] {1, 2}, null, null));
  }

  @Test
  void shouldTakeSaltAndAdapterOfARequest() {
    final Request request =
        Request.builder("r", 1, 2)
            .maxTokens(1)
            .cacheSalt("s")
            .lora(new LoraAdapter(1, "a"))
            .build();

    final VllmBlockHashChain chain = oneToken.chain(request);
    chain.append(new int[] {1, 2}, 0);
    chain.append(new int[] {1, 2}, 1);

    assertThat(chain.digest()).isEqualTo(oneToken.hash(new int[] {1, 2}, "a", "s").getLast());
  }

  /** The names are those of a program of its own, in Python: SHA-256 of the canonical CBOR. */
  @Test
  void shouldNameTheItemsOfARequestBetweenAdapterAndSalt() {
    final int[] prompt = {5, 1, 1, 1, 1, 9, 1, 1, 7, 7, 7, 7};
    final Request request =
        Request.builder("r", prompt)
            .maxTokens(1)
            .cacheSalt("s")
            .lora(new LoraAdapter(1, "my-lora"))
            .items(
                List.of(MultiModalItem.of("cat", 1, 4), MultiModalItem.withoutEncoder("dog", 6, 2)))
            .build();
    final VllmBlockHashChain chain = VllmBlockHasher.withDefaultSeed(4).chain(request);

    final List<String> names = new ArrayList<>();
    for (int from = 0; from < prompt.length; from += 4) {
      chain.append(prompt, from);
      names.add(HEX.formatHex(chain.digest()));
    }

    assertThat(names)
        .containsExactly(
            "d1cd93593f74136d35326ab443c026d739ee660a7a11bad82c8418e8bed17684",
            "da1d244bff77d93c0ba0af04c430e96092a6fb35bad3c62f5b14b6d9ae7ac2b9",
            "f5a72a720a189784a6d9e4871084c5d681c87ad1d5b436dc3bbc522c7052d758");
  }

  @Test
  void shouldStandAtTheNoneHashBeforeTheFirstBlock() {
    final VllmBlockHashChain chain = oneToken.chain(null, null);
    final byte[] copy = new byte[34];

    chain.copyDigest(copy, 2);

    assertThat(chain.blocks()).isZero();
    assertThat(chain.digest()).isEqualTo(oneToken.noneHash());
    assertThat(HEX.formatHex(copy)).isEqualTo("0000" + HEX.formatHex(oneToken.noneHash()));
  }

  @Test
  void shouldNotLetCallersChangeItsState() {
    oneToken.noneHash()[0]++;
    final VllmBlockHashChain chain = oneToken.chain(null, null);
    chain.digest()[0]++;

    assertThat(chain.digest()).isEqualTo(VllmBlockHasher.withDefaultSeed(1).noneHash());
  }

  @Test
  void shouldRefuseANegativeTokenAndStayAsItWas() {
    final VllmBlockHashChain chain = VllmBlockHasher.withDefaultSeed(2).chain(null, "s");

    assertThatThrownBy(() -> chain.append(new int[] {5, -1}, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("token ids must be >= 0: index=1, tokenId=-1");
    chain.append(new int[] {5, 6}, 0);

    assertThat(chain.digest())
        .isEqualTo(VllmBlockHasher.withDefaultSeed(2).hash(new int[] {5, 6}, null, "s").getFirst());
  }

  @Test
  void shouldRefuseLessThanABlock() {
    final VllmBlockHashChain chain = VllmBlockHasher.withDefaultSeed(4).chain(null, null);

    assertThatThrownBy(() -> chain.append(new int[7], 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(chain.blocks()).isZero();
  }

  @Test
  void shouldRefuseABlockWithoutTokens() {
    assertThatThrownBy(() -> VllmBlockHasher.withDefaultSeed(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("blockSize must be >= 1: blockSize=0");
  }

  @Test
  void shouldRefuseATextThatIsNotWellFormed() {
    assertThatThrownBy(() -> oneToken.chain(null, "a\ud800"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("salt must be well-formed Unicode, without lone surrogates: length=2");
  }

  @Test
  void shouldAllocateNextToNothingPerBlock() {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final VllmBlockHashChain chain = VllmBlockHasher.withDefaultSeed(16).chain("adapter", "a salt");
    final int[] tokens = IntStream.range(100_000, 100_016).toArray();
    append(chain, tokens, 20_000); // warm: interpreted code may box

    final long before = threads.getCurrentThreadAllocatedBytes();
    append(chain, tokens, 20_000);

    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000L);
  }

  private static void append(VllmBlockHashChain chain, int[] tokens, int blocks) {
    for (int i = 0; i < blocks; i++) {
      chain.append(tokens, 0);
    }
  }
}
