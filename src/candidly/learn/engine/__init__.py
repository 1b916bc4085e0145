"""Training stacks of trials: their state, batches, optimisers, checkpoints and measures.

K trials train as one stack: they share algorithm, batch size, number of training rows, updates and
record times (``Trial.stack_key``), and each has its own rows, seed, hyper-parameters, scaling and
state. A loss is summed over trials once, before ``backward``; nothing else crosses that axis.

What a trial's independence rests on, each held by a test over every algorithm
(``tests/learn/algorithms/test_battery.py``). These train from the first update to the last, and
fail if a line or a branch of a method never ran on the way; ``test_defects_are_caught.py`` plants
defects and sees the tests fail.

* Random numbers are functions of (trial seed, name, time) from a counter-based generator
  (``seeds.draw``). There is no generator state to save, and no draw depends on stack-mates or on
  how often one looks.
* Parameters, gradients and moments are flat (K, P) tensors; parameters in them start on 64-byte
  lines, so that a product rounds the same wherever in a stack a trial lies. In float32 a trial's
  bits are the same alone and in a stack: on a CPU, and on a GPU where trials are computed one by
  one.
* ``affine`` adds its gradients straight into views of the flat buffer; no gradient is allocated per
  update.
* Row tables are read by gather and written back by row. Where a batch may hold a row twice, what
  came last is written, and a learned row moves once by the sum of its gradients: no result depends
  on the order in which a device writes.
* A sampler's rows are drawn at the start of an epoch, from tables that change during it; so they
  are part of the saved state, and resuming goes on with them.
* Evaluation is one trial, one forward pass over validation and test rows, and writes nothing.

Networks. A ``Net`` is a value. Its functions get a ``State``: the stacked leaves (K, …) by name,
for layers written for all trials at once (``affine``), and the same one by one (``trials()``), for
what is not: ``each`` calls a function per trial, and a stack of torch modules is a loop over
``functional_call`` on leaves that view the trial's row of the flat tensors. On a CPU convolutions
gain nothing from being stacked, so such trials train one to a stack. Trunk and head meet at
features (K, B, h), and either may be of either kind. Buffers are (K, …) tensors of their own dtype:
saved, resumed and buried with their trial, and never stepped; floating ones take the training
dtype. In an update a network is in training mode, and running statistics move only where gradients
are recorded; ``whole``, evaluation and prediction are in evaluation mode. Where a network draws
from torch's generator, it is seeded before each call from (trial seed, network, update, call), and
is after that as it was.

``from_torch`` calls ``make()`` twice: one module is watched whole (what it changes, draws and
keeps), the other is cut at its head, loses its numbers, and is computed on each trial's. Both must
agree to the last bit, or the module is refused. Tied tensors are one leaf under their first name;
frozen parameters are buffers. A trial starts from ``make()`` under torch's generator, seeded by one
integer of the trial's. What a person writes as a network (``learn/written/nets.py``) and as a
recipe is read without torch; ``Trial.net`` of a user's file is its name, its function and its
content's checksum, and the results directory keeps a copy that workers load, as of policies of
views (``compare/sweep/own_files.py``). A network of the catalogue is counted on torch's meta
device, and refused where it does not fit, before it is made (``_catalogue.py``).

Pictures stay the uint8 pixels that they are, once on a machine: workers map one file. A batch is
taken, changed by the recipe's view, and only then made numbers and normalised by channel, by the
statistics of the split's training rows (from exact sums of each picture, made once) or by
constants. What a view does to a row follows from (trial seed, view, update, picture): Philox4x32-10
with these as counter and key (``seeds.words``), so that it depends on no neighbour and on no place
in the batch. The numbers are drawn on the host, all blocks of words that a view needs at once, and
sent; pixels are changed where they are, uint8 to uint8, by operations that equal Pillow's. A method
names ``plain``, ``weak``, ``strong`` or ``distill``, the kind of input decides what that is
(``learn/engine/viewing.py``), and a recipe may put another view in its place; only views that a
method asks for are made. Watchers see what the method was shown: what a network has answered in an
update is kept until its parameters move.

Texts are ``Labelled`` as texts, and become tokens where the network takes these (``seen_as``:
``tokens``, or ``language`` for a language model, which decides recipe and hyper-parameters, too);
networks for tables see counts. Token numbers are the tokeniser's and 1 more, and 0 is padding, so
that no tokeniser needs a token for it. A data set's words are numbered once; which of them a trial
knows follows from its training rows (``split_words``), as its scaling does. A batch is padded to
its longest text, a network sees no column that is padding for its whole trial, and rows are
predicted in the order of their lengths. ``Module.mixed`` says what a network makes of mixed rows:
of numbers the inputs are mixed, of texts features or embeddings, as the recipe has it; methods give
what mixes and never see which. A language model's folder is read as JSON and tensors by candidly
itself, and transformers gives the modules alone. Its numbers lie once in a process; a trial starts
from a copy, and what the folder lacks is drawn. Trials know it by its digest, and a results
directory by a file in ``nets/`` that says where it lies. T5 is a network whose features are scores
of names; its decoder runs in chunks that are computed again in the backward pass. Embeddings add
their rows' gradient to the flat buffer (``_lookup.py``).

Divergence. At its first non-finite objective, gradient or evaluation logit a trial is buried: its
parameters and buffers become zeros, its tables finite, and nothing of it is written again. Its
records go on without values, so that its run counts as complete; earlier records stand. On an
accelerator the flags are read every 100 updates, and writes are masked meanwhile.

Scaling. Inputs are held once, standardised over all rows; a split's own standardisation is a shift
and a factor on the rows of a batch. The two compose to exactly the split's. Pictures have one of
each per channel (``scaling.py``).

Stack size (``compare/sweep/pack.py``). A stack's parameters, gradients and moments should stay in
the last-level cache: as many trials as fit 16 MB, between 1 and 20, on a CPU, and one where trials
are computed one by one; on an accelerator, which is launch bound, as many as make a batch of 10^10
multiply-adds, fit half of a worker's share of its memory, and are no more than 100. What does not
fit in memory is refused before anything is made. Groups are divided evenly; among all workers only
where that makes few stacks, as smaller ones are slower. The size never changes a number.

On a GPU. Nothing of this has run on one yet. What has run instead, on the CPU device: the device
tests (``tests/devices``, every method and every network among them) and each part of
``bench/gpu.py``, the command that measures all of it. ``arithmetic.py`` sets, for a stack's calls
alone, what float32 means (torch rounds convolutions to TF32) and cuDNN's repeatable algorithms.
Small stacks, and networks that are computed one by one in stacks of any size, step by torch's fused
kernel per trial; others by operations broadcast over the stack (``optim.FUSED_AT_MOST``). Whether a
trial is alive is a flag on the device that kernels read; the host looks every 100 updates. In
between nothing waits for the device: rows come to the host once an epoch, and what views draw is
sent without waiting.

Processes. One per core, or one per GPU (``ground.device.device_of``, in turn), one thread each.
Workers are started as ``python -m candidly.compare.sweep.worker``, take tasks as lines on stdin,
and end when that closes. In processes that are candidly's own (the command line, its workers) large
tensors get huge pages, and ``mallopt`` tells glibc to keep freed memory
(``ground.process.tune_memory``): otherwise each temporary above 128 kB is a fresh mapping and
page-faults. ``bench/engine.py`` measures all this beside a plain loop, and ``bench/products.py`` an
update beside its matrix products alone: about 1.8 times as long with a hidden layer and batches of
64, 1.4 times with 256, and as long or less with a linear head.

Denormals. While ``train`` updates, numbers below the smallest normal float count as zero, and the
caller's setting comes back at each pause (``train.without_denormals``). Weights that only weight
decay moves, and the moments of a network that has learned its rows by heart, decay to such numbers,
and a CPU is up to thirty times slower with them (``bench/denormals.py``).
"""
