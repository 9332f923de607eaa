package dev.headway.examples.customprobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The probe is found where its jar is, by name, and nowhere else. */
class CustomProbeTest {

  private static final String PACKAGE = "dev.headway.examples.customprobe";

  /** What {@code target/headway-examples-*-custom-probe.jar} is made of. */
  private static final Path JAR_CONTENT = Path.of("target", "custom-probe");

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private PrintStream before;

  @BeforeEach
  void captureOutput() {
    before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restoreOutput() {
    System.setOut(before);
  }

  /** A class path that does not have the custom probe. */
  private static final class WithoutProbe extends ClassLoader {
    WithoutProbe() {
      super(CustomProbeTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith(PACKAGE)) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static URLClassLoader withJar() throws IOException {
    assertThat(JAR_CONTENT).isDirectory();
    return new URLClassLoader(new URL[] {JAR_CONTENT.toUri().toURL()}, new WithoutProbe());
  }

  /** One seat and two requests: the second waits while the first runs. */
  private static EngineBuilder engine(ClassLoader classLoader) {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(1)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000, 0, 0, 0);
    return HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
        .clock(clock)
        .limits(
            SchedulerLimits.builder()
                .maxNumSeqs(1)
                .maxNumBatchedTokens(64)
                .maxModelLen(128)
                .build())
        .classLoader(classLoader);
  }

  private static void runTwoRequests(EngineBuilder builder) {
    try (Engine engine = builder.build()) {
      engine.submit(Request.builder("first", 1, 2, 3).maxTokens(5).build());
      engine.submit(Request.builder("second", 1, 2, 3).maxTokens(5).build());
      while (engine.step()) {
        // until both have ended
      }
    }
  }

  @Test
  void shouldBeFoundByNameAndSayWhoWaitedLongest() throws IOException {
    try (URLClassLoader loader = withJar()) {
      runTwoRequests(engine(loader).probe("longest-wait"));
    }

    assertThat(printed.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo("longest-wait: request=second, ns=5000, reason=max_num_seqs");
  }

  @Test
  void shouldLeaveOutWaitsBelowItsOption() throws IOException {
    try (URLClassLoader loader = withJar()) {
      runTwoRequests(engine(loader).probe("longest-wait", Map.of("fromMs", "1")));
    }

    assertThat(printed.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo("longest-wait: request=none");
  }

  @Test
  void shouldRefuseOptionsItDoesNotHave() throws IOException {
    try (URLClassLoader loader = withJar()) {
      final EngineBuilder builder = engine(loader).probe("longest-wait", Map.of("from", "1"));

      assertThatThrownBy(builder::build)
          .hasMessageContaining("longest-wait has one option, fromMs: options={from=1}");
    }
  }

  @Test
  void shouldDoNothingUnlessNamed() throws IOException {
    try (URLClassLoader loader = withJar()) {
      runTwoRequests(engine(loader));
    }

    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void shouldNotBeFoundWithoutItsJar() {
    final EngineBuilder builder = engine(new WithoutProbe()).probe("longest-wait");

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "no probe named 'longest-wait': found=[chronicle, csv, jfr, kv-events, otlp, profile,"
                + " prometheus], broken=[]");
  }
}
