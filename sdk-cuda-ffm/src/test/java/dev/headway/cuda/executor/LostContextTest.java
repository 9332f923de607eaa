package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.ExecutorLostException;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.TestModule;
import dev.headway.cuda.emulation.ChildJvm;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A kernel that writes where nobody allocated: the driver loses its context, on any driver. In a
 * process of its own, since CUDA is lost to it.
 */
@OnCudaDriver
class LostContextTest {

  @Test
  void shouldSayThatCudaIsLostAndCloseInSilence() throws Exception {
    final ChildJvm.Ended ended = ChildJvm.run(Loss.class, Map.of());

    System.out.println(String.join(System.lineSeparator(), ended.lines()));
    final List<String> facts = ended.lines().stream().filter(line -> line.contains(": ")).toList();
    assertThat(ended.status()).as("%s", facts).isZero();
    assertThat(facts)
        .anyMatch(line -> line.startsWith("synchronize: sticky, cuStreamSynchronize failed: "))
        .anyMatch(line -> line.startsWith("launch: sticky, cuLaunchKernel failed: "))
        .anyMatch(line -> line.matches("step: lost, .*CUDA is lost to this process: restart it"))
        .anyMatch(line -> line.startsWith("next step: lost, the executor is dead "))
        .anyMatch(line -> line.equals("closed: both"))
        .anyMatch(line -> line.startsWith("new context: ")); // what it says is told, not promised
  }

  /** Loses the context under an executor that has done a step. */
  static final class Loss {
    private Loss() {}

    public static void main(String[] arguments) throws InterruptedException {
      Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
      final CudaDevice device = CudaDevice.open(0);
      final CudaExecutor executor =
          CudaExecutor.builder(
                  Model.random(TestModels.tiny(ModelFamily.LLAMA), 5), new SystemNanoClock())
              .blockSize(4)
              .kvBlocks(99)
              .maxNumSeqs(4)
              .maxNumBatchedTokens(16)
              .maxModelLen(128)
              .build();
      executor.submit(step());
      await(executor);

      final CudaStream stream = device.newStream();
      final Kernel add = TestModule.add(device);
      say("synchronize", () -> wild(add, stream));
      say("launch", () -> add.pointer(0).i32(0).i32(1).launch(stream, 1, 1, 1, 32, 0));
      say(
          "step",
          () -> {
            executor.submit(step());
            await(executor);
          });
      say("next step", () -> executor.submit(step()));
      executor.close();
      device.close();
      System.out.println("closed: both");
      say("new context", Loss::open);
    }

    /** Adds to where nothing can be. */
    private static void wild(Kernel add, CudaStream stream) {
      add.pointer(0).i32(32).i32(1).launch(stream, 1, 1, 1, 32, 0);
      stream.synchronize();
    }

    private static void open() {
      try (CudaDevice device = CudaDevice.open(0)) {
        final CudaStream stream = device.newStream();
        stream.fill(device.allocate(MemoryUse.of("x"), 16), 0, 16, (byte) 0);
        stream.synchronize();
      }
    }

    private interface Action {
      void run() throws InterruptedException;
    }

    private static void say(String what, Action action) throws InterruptedException {
      String said = "works";
      try {
        action.run();
      } catch (ExecutorLostException e) {
        said = "lost, " + e.getMessage();
      } catch (CudaException e) {
        said = (e.isSticky() ? "sticky, " : "not sticky, ") + e.getMessage();
      }
      System.out.println(what + ": " + said);
    }

    private static StepPlan step() {
      final Request request =
          Request.builder("r", 1, 2, 3).maxTokens(4).sampling(SamplingParams.GREEDY).build();
      return new FakePlan().entry(request, 0, 3, 1);
    }

    private static void await(CudaExecutor executor) throws InterruptedException {
      final StepOutput output = new StepOutput();
      output.begin(7, 1);
      if (!executor.await(output, TimeUnit.SECONDS.toNanos(60)) || output.tokenCount(0) != 1) {
        throw new IllegalStateException("no token");
      }
    }
  }
}
