package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.LoraFolder;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.FakePlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An adapter makes what the model makes whose matrices have it in them. */
class LoraTest {

  private static final int[] PROMPT = {7, 38, 69, 3, 34, 65, 96, 30, 61, 92, 26, 57};

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldMakeTheLogitsOfTheMergedModel(TinyModel tiny) throws IOException {
    final Model model = Model.random(tiny.config(), 5, WeightType.F32);
    LoraFolder.write(directory, model.config(), 9);
    final LoraWeights adapter = LoraWeights.load(directory, model.config());

    final float[] plain = new ReferenceModel(model, Precision.FLOAT32).logits(PROMPT);
    final float[] merged =
        new ReferenceModel(LoraFolder.merged(model, 9), Precision.FLOAT32).logits(PROMPT);

    final int groups = KvLayers.of(model.config()).groups();
    final int[][] tables = new int[groups][];
    for (int group = 0; group < groups; group++) {
      tables[group] =
          IntStream.range(2 * group * PROMPT.length, (2 * group + 1) * PROMPT.length).toArray();
    }
    final int[][] others = new int[groups][];
    for (int group = 0; group < groups; group++) {
      others[group] = IntStream.of(tables[group]).map(block -> block + PROMPT.length).toArray();
    }
    final Rows rows = new Rows();
    rows.add(PROMPT, 0, adapter, tables);
    rows.add(PROMPT, 0, others);
    final ReferenceModel both = new ReferenceModel(model, Precision.FLOAT32);
    both.forward(rows, new PagedKv(model.config(), 1, 2 * groups * PROMPT.length, 0));
    final float[] adapted = new float[plain.length];
    final float[] beside = new float[plain.length];
    both.logits(PROMPT.length - 1, adapted);
    both.logits(2 * PROMPT.length - 1, beside);

    assertThat(beside).as("without an adapter, to the bit").isEqualTo(plain);
    for (int token = 0; token < plain.length; token++) {
      assertThat(adapted[token]).as("%s, %d", tiny, token).isCloseTo(merged[token], within(1e-3f));
    }
    assertThat(adapted).isNotEqualTo(plain);
  }

  @Test
  void shouldRefuseAnAdapterThatItDoesNotHaveAndNoOtherEntry()
      throws IOException, InterruptedException {
    final Model model = Model.random(TinyModel.LLAMA.config(), 5);
    LoraFolder.write(directory, model.config(), 9);
    final LoraAdapter poet = new LoraAdapter(1, "poet");
    final ReferenceExecutorBuilder builder =
        ReferenceExecutor.builder(model, new VirtualClock()).blockSize(4).numBlocks(10);
    builder.adapter(poet, directory);

    assertThatThrownBy(() -> builder.adapter(new LoraAdapter(2, "poet"), directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "adapters must have ids and names of their own: adapter=LoraAdapter[id=2, name=poet],"
                + " other=LoraAdapter[id=1, name=poet]");
    final StepOutput output = new StepOutput();
    try (ReferenceExecutor executor = builder.build()) {
      final FakePlan plan =
          new FakePlan()
              .entry(request("known", poet), 0, 3, 3)
              .entry(request("other", new LoraAdapter(2, "critic")), 0, 3, 4);
      output.begin(plan.stepId(), plan.size());
      executor.submit(plan);
      executor.await(output, 0);
    }

    assertThat(output.tokenCount(0)).isOne();
    assertThat(output.failure(1))
        .hasMessage(
            "the executor must have the request's adapter: adapter=LoraAdapter[id=2, name=critic],"
                + " adapters=[LoraAdapter[id=1, name=poet]], request='other'");
  }

  private static Request request(String id, LoraAdapter adapter) {
    return Request.builder(id, 5, 6, 7).maxTokens(4).lora(adapter).build();
  }
}
