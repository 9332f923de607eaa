package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.kernel.ExpertKernels;
import dev.headway.cuda.kernel.RouterShape;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.ModelConfig;

/**
 * Device memory of a layer's experts between their kernels; as {@link Workspace}. What belongs to
 * slots and places is described in {@link ExpertKernels}.
 */
final class ExpertWorkspace {
  final DeviceBuffer logits;
  final DeviceBuffer chosen;
  final DeviceBuffer weights;
  final DeviceBuffer places;
  final DeviceBuffer slots;
  final DeviceBuffer tiles;

  /** The experts' inputs, and when these have been read, their outputs. */
  final DeviceBuffer states;

  final DeviceBuffer gateUp;
  final DeviceBuffer inner;

  /** What the shared experts made; of one byte if there are none. */
  final DeviceBuffer shared;

  ExpertWorkspace(
      CudaDevice device, ModelConfig config, ExpertsShape shape, RouterShape router, int tokens) {
    final long rows = ProductRows.holding(tokens);
    final long count = (long) tokens * shape.expertsPerToken();
    final long hidden = config.hiddenSize();
    final long width = shape.intermediateSize();
    logits = allocate(device, "router logits", 4 * rows * shape.experts());
    chosen = allocate(device, "chosen experts", 4 * count);
    weights = allocate(device, "weights of experts", 4 * count);
    places = allocate(device, "places of experts", 4 * count);
    slots = allocate(device, "slots of experts", 4 * count);
    tiles = allocate(device, "tiles of experts", ExpertKernels.tileBytes(tokens, router));
    states = allocate(device, "states of experts", 2 * count * hidden);
    gateUp = allocate(device, "gates of experts", 4 * count * width);
    inner = allocate(device, "inner states of experts", 2 * count * width);
    shared = allocate(device, "shared experts", shape.sharedExperts() == 0 ? 1 : 2 * rows * hidden);
  }

  private static DeviceBuffer allocate(CudaDevice device, String what, long bytes) {
    return device.allocate(new MemoryUse(what, "maxNumBatchedTokens"), bytes);
  }
}
