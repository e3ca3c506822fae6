"""Registers every verb with the application by importing its module."""

from eigenparse.cli import convert as convert
from eigenparse.cli import demo as demo
from eigenparse.cli import draw as draw
from eigenparse.cli import embed as embed
from eigenparse.cli import evaluate as evaluate
from eigenparse.cli import info as info
from eigenparse.cli import merge as merge
from eigenparse.cli import normalise as normalise
from eigenparse.cli import parse as parse
from eigenparse.cli import plot as plot
from eigenparse.cli import reproduce_cohen2014 as reproduce_cohen2014
from eigenparse.cli import reproduce_dhillon2012 as reproduce_dhillon2012
from eigenparse.cli import reproduce_matejovicova2018 as reproduce_matejovicova2018
from eigenparse.cli import reproduce_stratos2013 as reproduce_stratos2013
from eigenparse.cli import rerank as rerank
from eigenparse.cli import sample as sample
from eigenparse.cli import score as score
from eigenparse.cli import serve as serve
from eigenparse.cli import tag as tag
from eigenparse.cli import train_dependency as train_dependency
from eigenparse.cli import train_deptree as train_deptree
from eigenparse.cli import train_hmm as train_hmm
from eigenparse.cli import train_lpcfg as train_lpcfg
from eigenparse.cli import train_phones as train_phones
from eigenparse.cli import train_rhmm as train_rhmm
from eigenparse.cli import transcribe as transcribe
