package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A machine with narrower vectors, and a JVM that compiles nothing, make the same bits. */
class OtherMachinesTest {

  private static final String VECTORS = "--add-modules=jdk.incubator.vector";

  @ParameterizedTest
  @ValueSource(strings = {"-XX:MaxVectorSize=16", "-XX:MaxVectorSize=32", "-Xint"})
  void shouldMakeTheSameBits(String flag) throws IOException, InterruptedException {
    final ChildJvm other = ChildJvm.run(List.of(VECTORS, flag), LogitBits.class);

    assertThat(other.exitCode()).as(other.output()).isZero();
    assertThat(other.output().lines().toList()).containsAll(LogitBits.of());
  }

  @Test
  void shouldHaveBeenNarrower() throws IOException, InterruptedException {
    final ChildJvm other = ChildJvm.run(List.of(VECTORS, "-XX:MaxVectorSize=16"), LogitBits.class);

    assertThat(other.output()).contains("lanes=4\n");
  }
}
