# What pages take for granted of their reader: files and servers that run-commands.mjs lets the program make. Sourced by
# the hidden blocks of pages, at the root of a clone.

# journal DIR: that of the demo
journal() {
  ./headway demo -q --overwrite
  mkdir -p "$(dirname "$1")"
  cp -r out/demo/journal "$1"
}

# traces: trace.csv, trace.jsonl and both compressed
traces() {
  ./headway workload -q 'chatbot(rate=20,requests=2000,seed=7)' -o trace.csv
  ./headway workload -q 'chatbot(rate=20,requests=2000,seed=7)' -o trace.jsonl --output-format mooncake
  gzip -k trace.csv trace.jsonl
}

# step_model JOURNAL FILE
step_model() {
  ./headway fit -q "$1" --model examples/models/Llama-3.1-8B --gpu h100-sxm -o "$2"
}

# blis_spec FILE: a workload of BLIS
blis_spec() {
  cp sdk-simulation/src/test/resources/fuzz/WorkloadSpecFuzzTest/two-clients.yaml "$1"
}

# mixture FILE: the config.json of Qwen3-30B-A3B, as far as a simulation reads it
mixture() {
  cat >"$1" <<'JSON'
{"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "torch_dtype": "bfloat16", "hidden_size": 2048,
 "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
 "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936,
 "max_position_embeddings": 40960, "tie_word_embeddings": false, "hidden_act": "silu", "decoder_sparse_step": 1,
 "mlp_only_layers": [], "norm_topk_prob": true, "rope_theta": 1000000.0, "rms_norm_eps": 1e-06}
JSON
}

# collector: takes OTLP over HTTP on its usual port
collector() {
  node -e 'require("http").createServer((q, a) => { q.resume(); q.on("end", () => { a.writeHead(200, {"Content-Type": "application/x-protobuf"}); a.end() }) }).listen(4318, "127.0.0.1")' &
  until (exec 3<>/dev/tcp/127.0.0.1/4318) 2>/dev/null; do sleep 0.1; done
}

# recorded_server: a server with the probe jfr; PID is its process, and the tools of its JDK are on the PATH
recorded_server() {
  PATH=$(scripts/find-jdk.sh)/bin:$PATH
  ./headway serve --probe jfr &
  PID=$!
  until (exec 3<>/dev/tcp/127.0.0.1/8000) 2>/dev/null; do sleep 0.2; done
  ./headway bench -q --num-requests 20 --request-rate 20
}
