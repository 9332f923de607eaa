package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvGroup.FullAttention;
import dev.headway.api.kvcache.KvGroup.SlidingWindow;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KvLayersTest {

  @Test
  void shouldHaveOneGroupWhereLayersAreAlike() {
    final KvLayers full = KvLayers.of(TinyModel.LLAMA.config());
    final KvLayers windowed = KvLayers.of(TinyModel.MISTRAL_WITH_WINDOW.config());

    assertThat(full.kvGroups(4)).containsExactly(new FullAttention(4));
    assertThat(full.areFull()).isTrue();
    assertThat(windowed.kvGroups(4)).containsExactly(new SlidingWindow(4, 8));
    assertThat(windowed.areFull()).isFalse();
    assertThat(List.of(full.slots(), windowed.slots())).containsOnly(3);
  }

  /** The layers of Gemma 3 1B: 22 with a window, 4 without, which vLLM makes 7 groups of 4. */
  @Test
  void shouldSplitTheCommonestIntoGroupsOfTheRarest() {
    final KvLayers layers = KvLayers.of(withWindows(26, layer -> layer % 6 == 5 ? 0 : 8));

    assertThat(layers.groups()).isEqualTo(7);
    assertThat(layers.slots()).isEqualTo(4);
    assertThat(layers)
        .hasToString(
            "6 groups of 4 layers, window of 8 tokens; 1 group of 4 layers," + " whole context");
    assertThat(IntStream.range(0, 8).map(layers::group)).containsExactly(0, 1, 2, 3, 4, 6, 5, 0);
    assertThat(IntStream.range(0, 8).map(layers::slot)).containsExactly(0, 0, 0, 0, 0, 0, 0, 1);
    assertThat(IntStream.range(0, 7).map(layers::window)).containsExactly(8, 8, 8, 8, 8, 8, 0);
    assertThat(
            IntStream.range(0, 26).mapToObj(l -> List.of(layers.group(l), layers.slot(l))).toList())
        .doesNotHaveDuplicates();
  }

  /** 13 and 12 layers are two groups of 13, not three of 12. */
  @Test
  void shouldNotSplitAFewMore() {
    final KvLayers layers = KvLayers.of(withWindows(25, layer -> layer % 2 == 0 ? 8 : 0));

    assertThat(layers.groups()).isEqualTo(2);
    assertThat(layers.slots()).isEqualTo(13);
  }

  @Test
  void shouldForgetWindowsThatHoldTheLongestContext() {
    final ModelConfig config = TinyModel.QWEN3_WITH_WINDOWS.config();

    assertThat(KvLayers.of(config.withMaxPositions(9)).areFull()).isFalse();
    assertThat(KvLayers.of(config.withMaxPositions(8)).areFull()).isTrue();
  }

  @Test
  void shouldRefuseAHostTierOfWindows() {
    assertThatThrownBy(
            () -> KvLayers.of(TinyModel.MISTRAL_WITH_WINDOW.config()).requireNoHostTier(3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "hostBlocks must be 0 for a model with sliding windows, whose blocks the host tier does"
                + " not take: hostBlocks=3, layers=1 group of 3 layers, window of 8 tokens");
    KvLayers.of(TinyModel.LLAMA.config()).requireNoHostTier(3);
  }

  @Test
  void shouldRefuseWindowsOfOtherLayers() {
    assertThatThrownBy(
            () ->
                TestModels.tiny(ModelFamily.LLAMA).toBuilder()
                    .windows(LayerWindows.all(2, 8))
                    .build())
        .hasMessage("windows must be given for each layer: windows=2, num_hidden_layers=3");
    assertThatThrownBy(() -> LayerWindows.all(2, -1))
        .hasMessage("sliding_window must be >= 1: sliding_window=-1");
    assertThat(LayerWindows.all(2, 0)).isEqualTo(LayerWindows.NONE);
  }

  private static ModelConfig withWindows(int layers, IntUnaryOperator window) {
    return TestModels.tiny(ModelFamily.QWEN2).toBuilder()
        .layers(layers)
        .windows(new LayerWindows(IntStream.range(0, layers).map(window).boxed().toList()))
        .build();
  }
}
