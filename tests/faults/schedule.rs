//! What goes wrong in one run, and when: all of it follows from the seed.
//!
//! A connection's plan depends on what it asks for and on how many asked for the same before, not
//! on the order in which threads happen to run.

use std::time::Duration;

use crate::random::Random;
use crate::story::Story;

/// The command under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Run,
    Submit,
    Tail,
    Wait,
}

/// What a connection asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asked {
    Stream,
    Session,
    Change,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It reaches the daemon, and the answer comes back.
    Answered,
    /// The connection closes before it reached the daemon.
    Dropped,
    /// It reaches the daemon; the answer does not come back.
    AnswerLost,
    /// Nothing happens for so long, then the connection closes.
    Ignored(Duration),
}

/// How an answer stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// With the zero chunk, as a daemon ends the stream of a slow reader.
    Orderly,
    /// The connection closes.
    Closed,
    /// The connection is reset.
    Reset,
    /// Not another byte for so long, then it closes.
    Stalled(Duration),
    /// Something else than an event stream goes on.
    Garbage,
}

/// How the bytes of an answer are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    AsTheyCome,
    Single,
    UpTo(usize),
}

/// The plan for one connection.
#[derive(Debug, Clone)]
pub struct Plan {
    pub fate: Fate,
    pub pieces: Pieces,
    /// Whether each chunk of the body becomes several.
    pub rechunked: bool,
    /// A pause after every so many writes.
    pub pause: Option<(usize, Duration)>,
    /// Where the answer stops early, in bytes of what is written; orderly ends and garbage count
    /// bytes of the body.
    pub cut: Option<(usize, How)>,
    /// Whether an event must have passed before the cut.
    pub event_first: bool,
    /// Afterwards nobody listens for so long; whether the socket file is gone meanwhile.
    pub away: Option<(Duration, bool)>,
    /// Afterwards the daemon has forgotten its sessions.
    pub restart: bool,
    /// Seeds whatever else is chosen on the way.
    pub seed: u64,
}

/// Everything about one run.
#[derive(Debug, Clone)]
pub struct Schedule {
    pub seed: u64,
    pub command: Command,
    pub story: Story,
    /// Only faults that no reader may notice: every stream brings an event before it is cut.
    pub mild: bool,
    pub retention: usize,
    pub reader_queue: usize,
    pub timeout: Option<Duration>,
    /// Whether the built binary runs, whose bounds are the contract's, or the same inside the test
    /// with shorter ones.
    pub binary: bool,
    /// How often an open stream says `: ping`.
    pub ping: Duration,
}

impl Schedule {
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let command = random.pick(&[Command::Run, Command::Submit, Command::Tail, Command::Wait]);
        let mild = random.chance(40);
        let story = Story::of(&mut random);
        let forgetful = !mild && random.chance(15);
        Self {
            seed,
            command,
            mild,
            retention: if forgetful {
                random.between(1, story.events.len() + 2)
            } else {
                10_000
            },
            reader_queue: random.pick(&[4, 16, 512]),
            timeout: (!mild && random.chance(10))
                .then(|| Duration::from_secs(random.between(1, 2) as u64)),
            story,
            binary: mild && random.chance(15),
            ping: Duration::from_millis(random.pick(&[3, 50, 20_000])),
        }
    }

    /// The plan for the nth connection, counted from 0, that asks for this.
    pub fn plan(&self, asked: Asked, nth: usize) -> Plan {
        let mut random = Random::for_purpose(self.seed, asked as u64 + 1, nth as u64);
        let mut plan = Plan {
            fate: Fate::Answered,
            pieces: pieces(&mut random),
            rechunked: random.chance(40),
            pause: random.chance(20).then(|| {
                (
                    random.between(1, 9),
                    Duration::from_micros(random.next() % 700),
                )
            }),
            cut: None,
            event_first: false,
            away: None,
            restart: false,
            seed: random.next(),
        };
        if self.mild {
            self.soften(&mut plan, asked, &mut random);
        } else {
            self.harden(&mut plan, asked, nth, &mut random);
        }
        plan
    }

    /// Faults that a reader is not to notice.
    fn soften(&self, plan: &mut Plan, asked: Asked, random: &mut Random) {
        if asked != Asked::Stream || !random.chance(80) {
            return;
        }
        let how = random.pick(&[How::Orderly, How::Closed, How::Reset]);
        plan.cut = Some((self.place(random), how));
        plan.event_first = true;
    }

    /// Faults of every kind, fewer with each try, so that most runs come to an end of their own.
    fn harden(&self, plan: &mut Plan, asked: Asked, nth: usize, random: &mut Random) {
        let likely = match asked {
            Asked::Stream => 80 / (1 + nth / 6),
            Asked::Session => {
                if nth < 2 {
                    8
                } else {
                    25
                }
            }
            Asked::Change => 15,
        };
        if !random.chance(likely) {
            return;
        }
        let short = Duration::from_millis(random.between(1, 40) as u64);
        let long = Duration::from_millis(random.between(300, 700) as u64);
        match random.below(100) {
            0..5 => plan.fate = Fate::Dropped,
            5..12 => plan.fate = Fate::AnswerLost,
            12..15 => plan.fate = Fate::Ignored(if random.chance(30) { long } else { short }),
            15..22 => plan.away = Some((short, random.chance(50))),
            22..24 => plan.restart = true,
            _ => {}
        }
        if plan.fate == Fate::Answered {
            let how = match random.below(100) {
                0..30 if asked == Asked::Stream => How::Orderly,
                30..33 if asked == Asked::Stream => How::Garbage,
                33..38 => How::Stalled(long),
                38..45 => How::Stalled(short),
                45..70 => How::Reset,
                _ => How::Closed,
            };
            plan.cut = Some((self.place(random), how));
        }
    }

    /// A place in an answer: often in the head or near the start, else anywhere.
    fn place(&self, random: &mut Random) -> usize {
        match random.below(10) {
            0..2 => random.below(120),
            2..5 => random.below(900),
            _ => random.below(self.story.bytes() * 5 / 4),
        }
    }
}

fn pieces(random: &mut Random) -> Pieces {
    match random.below(10) {
        0..4 => Pieces::AsTheyCome,
        4..6 => Pieces::Single,
        6..8 => Pieces::UpTo(random.between(2, 40)),
        _ => Pieces::UpTo(random.between(40, 5000)),
    }
}
