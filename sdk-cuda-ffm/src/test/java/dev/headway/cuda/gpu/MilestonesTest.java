package dev.headway.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables by hand, as the benchmark and PyTorch's script write them. */
class MilestonesTest {
  private static final String HEADER = "milestone,what,shape,value,unit,value_by_reference\n";

  @TempDir Path folder;

  @Test
  void shouldDivideByTheRowOfTheSameShape() throws IOException {
    final String rates =
        """
        M3,copy,8 bytes,100,GB/s,
        M4,gemv,1x4096x4096,90,GB/s,0.900
        M4,gemm few rows,8x4096x4096,75,GB/s,0.750
        M4,gemm few rows,64x4096x4096,73,GB/s,0.730
        M4,cuBLASLt few rows,8x4096x4096,100,GB/s,
        M4,cuBLASLt few rows,64x4096x4096,100,GB/s,
        M4/M6,decode forward replayed,8B batch 32 context 1024,130,us,1.300
        M4/M6,decode floor,8B batch 32 context 1024,100,us,
        """;
    final String torch =
        """
        M3,copy,8 bytes,120,GB/s,
        M4,gemv,1x4096x4096,100,GB/s,
        M4/M6,decode forward replayed,8B batch 32 context 1024,200,us,
        M4/M6,decode forward replayed,8B batch 1 context 1024,1,us,
        """;

    assertThat(milestones(rates, torch))
        .containsExactly(
            "milestone,criterion,shape,ratio,target,met",
            "M3,copy / torch copy,8 bytes,0.833,>=0.8,yes",
            "M4,gemv / copy,1x4096x4096,0.900,>=0.85,yes",
            "M4,gemv / torch,1x4096x4096,0.900,>=1.0,no",
            "M4,few rows / cuBLASLt,8x4096x4096,0.750,>=0.74,yes",
            "M4,few rows / cuBLASLt,64x4096x4096,0.730,>=0.74,no",
            "M6,decode / bytes at copy rate,8B batch 32 context 1024,1.300,<=1.35,yes",
            "M4,decode / torch CUDA graph,8B batch 32 context 1024,0.650,<=1.0,yes");
  }

  @Test
  void shouldTakeTheBestCutOfAttentionAndLeaveScatteredPagesOut() throws IOException {
    final String rates =
        """
        M3,copy,8 bytes,100,GB/s,
        M6,attention decode parts=1,batch 8 context 1024,99,GB/s,
        M6,attention decode parts=1,batch 32 context 1024,50,GB/s,
        M6,attention decode parts=4,batch 32 context 1024,65,GB/s,
        M6,attention decode parts=4 layers=32,batch 32 context 1024,95,GB/s,
        """;
    final String torch = "M6,attention decode,batch 32 context 1024,26,GB/s,\n";

    assertThat(milestones(rates, torch))
        .filteredOn(line -> line.startsWith("M6"))
        .containsExactly(
            "M6,attention decode / copy,batch 32 context 1024,0.650,>=0.7,no",
            "M6,attention decode / torch SDPA,batch 8 context 1024,,>=1.0,not compared",
            "M6,attention decode / torch SDPA,batch 32 context 1024,2.500,>=1.0,yes");
  }

  @Test
  void shouldSayWhatIsNotComparedWithoutPyTorch() throws IOException {
    assertThat(milestones("M5,gemm own,32x64x64,300,TFLOP/s,\n", ""))
        .containsExactly(
            "milestone,criterion,shape,ratio,target,met",
            "M5,own product / torch matmul,32x64x64,,>=0.45,not compared");
  }

  private List<String> milestones(String rates, String torch) throws IOException {
    final Path own = Files.writeString(folder.resolve("rates.csv"), HEADER + rates);
    final Path theirs = Files.writeString(folder.resolve("torch.csv"), HEADER + torch);
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new Milestones(
            Milestones.Row.read(own),
            Milestones.Row.read(theirs),
            new PrintStream(bytes, true, StandardCharsets.UTF_8))
        .print();
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
