package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ExpertsSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.WeightFormat.Arithmetic;
import dev.headway.simulation.regression.Feature;

/**
 * Counts of a step, figures of the model and the device, and products of them: what regressions of
 * step times usually start from. What is the same in all rows is distinguished from the constant
 * only where several models or devices were recorded.
 */
final class CountFeatures extends StepFeatureSet {

  private final double[] constants;
  private final int layers;

  CountFeatures(ForwardPass pass, GpuSpec gpu) {
    super(
        Feature.free("step", ""),
        Feature.free("n_prefill", "requests"),
        Feature.free("n_decode", "requests"),
        Feature.free("t_prefill", "tokens"),
        Feature.free("t_decode", "tokens"),
        Feature.free("scheduled_tokens", "tokens"),
        Feature.free("running_depth", "requests"),
        Feature.free("sampling_requests", "requests"),
        Feature.free("n_new", "requests"),
        Feature.free("prefill_attention_pairs", "tokens^2"),
        Feature.free("prefill_context_sum", "tokens"),
        Feature.free("decode_context_sum", "tokens"),
        Feature.free("kv_blocks_read", "blocks"),
        Feature.free("t_prefill_x_layers", "tokens layers"),
        Feature.free("t_decode_x_kv_blocks", "tokens blocks"),
        Feature.free("batch_squared", "requests^2"),
        Feature.free("tensor_parallel_size", "devices"),
        Feature.free("hidden_x_layers", ""),
        Feature.free("kv_bytes_per_token", "bytes"),
        Feature.free("gqa_discount", ""),
        Feature.free("moe_activation", ""),
        Feature.free("flop_per_byte", "flop/byte"),
        Feature.free("memory_gb", "GB"));
    final ModelSpec model = pass.model();
    layers = model.layers();
    constants =
        new double[] {
          pass.parallelism().tensor(),
          (double) model.hiddenSize() * layers,
          (double) model.attention().kvNumbersPerToken() * layers * model.kvCache().bytes(),
          gqaDiscount(model.attention()),
          activation(model),
          gpu.flops(Arithmetic.BF16) / gpu.memoryBytesPerSecond(),
          gpu.memoryBytes() / 1e9
        };
  }

  /** The share of its heads' keys and values that a model keeps. */
  private static double gqaDiscount(AttentionSpec attention) {
    return attention instanceof AttentionSpec.Grouped grouped
        ? (double) grouped.kvHeads() / grouped.heads()
        : 1;
  }

  /** The share of its experts that a token uses; 1 for a dense model. */
  private static double activation(ModelSpec model) {
    final ExpertsSpec experts = model.experts();
    return experts == null ? 1 : (double) experts.perToken() / experts.experts();
  }

  @Override
  void fill(StepFeatures step, double[] into) {
    int column = 0;
    into[column++] = 1;
    into[column++] = step.prefillRequests();
    into[column++] = step.decodeRequests();
    into[column++] = step.prefillTokens();
    into[column++] = step.decodeTokens();
    into[column++] = step.totalTokens();
    into[column++] = step.requests();
    into[column++] = step.samplingRequests();
    into[column++] = step.newRequests();
    into[column++] = step.twicePrefillPairs() / 2.0;
    into[column++] = step.prefillContextTokens();
    into[column++] = step.decodeContextTokens();
    into[column++] = step.kvBlocks();
    into[column++] = (double) step.prefillTokens() * layers;
    into[column++] = (double) step.decodeTokens() * step.kvBlocks();
    into[column++] = (double) step.requests() * step.requests();
    System.arraycopy(constants, 0, into, column, constants.length);
  }
}
